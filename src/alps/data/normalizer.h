// Zero mean and unit deviation for every column of a state. Columns that (nearly) never change keep their scale: they
// are only centred, so that dividing by almost nothing cannot turn rounding noise into signal.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace alps {

struct Normalizer {
  std::vector<float> mean, deviation;  // (columns)
  size_t constant_columns = 0;         // whose deviation was set to 1

  size_t size() const { return mean.size(); }
  void apply(std::span<const float> row, float* out) const {
    for (size_t k = 0; k < mean.size(); ++k) out[k] = (row[k] - mean[k]) / deviation[k];
  }
};

// Welford's sums over rows, in double; `where` names the data in the error for non-finite values.
class NormalizerFit {
 public:
  explicit NormalizerFit(size_t columns) : mean_(columns), square_(columns), low_(columns), high_(columns) {}
  void add(std::span<const float> row);
  Normalizer finish() const;

 private:
  std::vector<double> mean_, square_;
  std::vector<float> low_, high_;
  size_t count_ = 0;
};

Normalizer fit_normalizer(std::span<const float> values, size_t columns);  // (rows, columns)

}  // namespace alps
