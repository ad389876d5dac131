#include "alps/collect/running_scale.h"

#include <algorithm>

namespace alps {

void RunningScale::add(std::span<const float> rows, double longest) {
  const size_t size = mean.size(), n = rows.size() / size;
  std::vector<double> sum(size), square(size);
  for (size_t r = 0; r < n; ++r)
    for (size_t k = 0; k < size; ++k) {
      const double d = rows[r * size + k] - mean[k];  // from the old mean, for the sake of precision
      sum[k] += d;
      square[k] += d * d;
    }
  const double all = count + static_cast<double>(n);
  for (size_t k = 0; k < size; ++k) {
    const double shift = sum[k] / static_cast<double>(n), spread = square[k] / static_cast<double>(n) - shift * shift;
    mean[k] += shift * static_cast<double>(n) / all;
    variance[k] =
        (variance[k] * count + spread * static_cast<double>(n) + shift * shift * count * static_cast<double>(n) / all) /
        all;
  }
  count = std::min(all, longest);
}

void RunningScale::store(Tensors& tensors, const std::string& prefix) const {
  tensors.arrays[prefix + ".mean"] = Array::of<double>({mean.size()}, mean);
  tensors.arrays[prefix + ".variance"] = Array::of<double>({variance.size()}, variance);
  tensors.arrays[prefix + ".count"] = Array::of<double>({1}, std::span(&count, 1));
}

void RunningScale::load(const Tensors& tensors, const std::string& prefix) {
  for (const auto& [list, name] : {std::pair(&mean, ".mean"), {&variance, ".variance"}}) {
    const auto kept = tensors.at(prefix + name, DType::kFloat64, {list->size()}).as<double>();
    list->assign(kept.begin(), kept.end());
  }
  count = tensors.at(prefix + ".count", DType::kFloat64, {1}).as<double>()[0];
}

}  // namespace alps
