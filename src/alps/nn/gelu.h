// The hidden units of OGBench's networks, on one row: GELU in its tanh form (Hendrycks and Gimpel 2016),
//   h(x) = x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))),
// alone or with a layer norm after it (epsilon 1e-6), and their gradients. Only what went in is kept for the way back:
// tanh is computed twice, which costs less than to write and read its results.
#pragma once

#include <cstddef>

namespace alps {

// mean and 1 / deviation of a row of h
struct RowScale {
  float mean, scale;
};

void gelu(const float* in, size_t size, float* out);  // `out` may be `in`
RowScale gelu_norm(const float* in, size_t size, const float* gain, const float* bias, float* out);

// gradient: of what came out -> of what went in
void gelu_gradient(const float* in, size_t size, float* gradient);
// the same; adds the row's share to the gradients of gain and bias
void gelu_norm_gradient(const float* in, RowScale row, const float* gain, size_t size, float* gradient,
                        float* gain_gradient, float* bias_gradient);

}  // namespace alps
