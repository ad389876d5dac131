// Mean and deviation of columns that are seen bit by bit, in one pass (Chan et al. 1979): what networks that learn from
// a stream normalize their inputs with.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "alps/base/safetensors.h"

namespace alps {

struct RunningScale {
  std::vector<double> mean, variance;
  double count = 1e-4;

  explicit RunningScale(size_t size = 0) : mean(size), variance(size, 1.0) {}
  // older rows count as `longest` at most
  void add(std::span<const float> rows, double longest = 5e6);
  void store(Tensors& tensors, const std::string& prefix) const;
  void load(const Tensors& tensors, const std::string& prefix);
};

}  // namespace alps
