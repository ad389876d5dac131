#include "alps/nn/adam.h"

#include <cmath>

#include "alps/base/simd.h"

namespace alps {
namespace {

constexpr float kBeta1 = 0.9f, kBeta2 = 0.999f, kEpsilon = 1e-8f;

ALPS_CLONES void step(float* __restrict values, float* __restrict first, float* __restrict second,
                      const float* __restrict gradient, size_t size, float rate, float scale) {
  for (size_t i = 0; i < size; ++i) {
    first[i] += (1 - kBeta1) * (gradient[i] - first[i]);
    second[i] += (1 - kBeta2) * (gradient[i] * gradient[i] - second[i]);
    values[i] -= rate * first[i] / (std::sqrt(second[i]) * scale + kEpsilon);
  }
}

}  // namespace

void adam_step(float* values, float* first, float* second, const float* gradient, size_t size, float rate,
               float scale) {
  step(values, first, second, gradient, size, rate, scale);
}

AdamScale::AdamScale(double lr, double t)
    : rate(static_cast<float>(lr / (1 - std::pow(kBeta1, t)))),
      scale(static_cast<float>(1 / std::sqrt(1 - std::pow(kBeta2, t)))) {}

}  // namespace alps
