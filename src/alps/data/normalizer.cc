#include "alps/data/normalizer.h"

#include <algorithm>
#include <cmath>

#include "alps/base/error.h"

namespace alps {

void NormalizerFit::add(std::span<const float> row) {
  ALPS_CHECK(row.size() == mean_.size());
  ++count_;
  for (size_t k = 0; k < row.size(); ++k) {
    if (!std::isfinite(row[k]))
      throw Error("observations hold a non-finite value at row ", count_ - 1, ", column ", k, "; remove that episode");
    low_[k] = count_ == 1 ? row[k] : std::min(low_[k], row[k]);
    high_[k] = count_ == 1 ? row[k] : std::max(high_[k], row[k]);
    const double delta = row[k] - mean_[k];
    mean_[k] += delta / static_cast<double>(count_);
    square_[k] += delta * (row[k] - mean_[k]);
  }
}

Normalizer NormalizerFit::finish() const {
  ALPS_CHECK(count_ > 0);
  Normalizer result;
  for (size_t k = 0; k < mean_.size(); ++k) {
    // rounding of a large constant must not look like movement
    const double deviation = std::sqrt(square_[k] / static_cast<double>(count_));
    const double size = std::max(std::abs(low_[k]), std::abs(high_[k]));
    const bool constant = low_[k] == high_[k] || deviation < 1e-6 * std::max(size, 1e-3);
    result.constant_columns += constant;
    result.mean.push_back(static_cast<float>(mean_[k]));
    result.deviation.push_back(constant ? 1.0f : static_cast<float>(deviation));
  }
  return result;
}

Normalizer fit_normalizer(std::span<const float> values, size_t columns) {
  ALPS_CHECK(columns > 0 && values.size() % columns == 0);
  NormalizerFit fit(columns);
  for (size_t i = 0; i < values.size(); i += columns) fit.add(values.subspan(i, columns));
  return fit.finish();
}

}  // namespace alps
