// Layer norm (epsilon 1e-5) and tanh of one row, as after the encoder's first layer, and their gradient.
#pragma once

#include <cstddef>

namespace alps {

// row := tanh(gain * normalized + bias), where normalized = (row - mean) / deviation; the second form hands out the
// normalized row as well and returns 1 / deviation
void norm_tanh(float* row, size_t size, const float* gain, const float* bias);
float norm_tanh(float* row, size_t size, const float* gain, const float* bias, float* normalized);

// with `out` the result of norm_tanh: gradient := that before the tanh, and before := that of the row that went in
void norm_tanh_gradient(float* gradient, const float* out, const float* normalized, float scale, const float* gain,
                        size_t size, float* before);

}  // namespace alps
