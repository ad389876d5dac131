// One step of Adam (Kingma and Ba 2014, algorithm 1) on plain floats, with the corrections folded into `rate` and
// `scale`: rate = lr / (1 - beta1^t), scale = 1 / sqrt(1 - beta2^t).
#pragma once

#include <cstddef>

namespace alps {

void adam_step(float* values, float* first, float* second, const float* gradient, size_t size, float rate, float scale);

// the two of step t = 1, 2, ...
struct AdamScale {
  float rate, scale;
  AdamScale(double lr, double t);
};

}  // namespace alps
