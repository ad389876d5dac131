#include "alps/nn/gelu.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "alps/nn/vector_tanh.h"

namespace alps {
namespace {

constexpr float kEpsilon = 1e-6f, kRoot = 0.7978845608f, kCubic = 0.044715f;  // sqrt(2 / pi)

// vectors go by reference: how they are returned depends on the instruction set
ALPS_INLINE void gelu_in_place(Vector& x) {
  Vector t = kRoot * (x + kCubic * x * x * x);
  tanh_in_place(t);
  x = 0.5f * x * (1.0f + t);
}

// and the derivative
ALPS_INLINE void gelu_in_place(Vector& x, Vector& slope) {
  const Vector square = x * x;
  Vector t = kRoot * (x + kCubic * x * square);
  tanh_in_place(t);
  slope = 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * (kRoot * (1.0f + 3 * kCubic * square));
  x = 0.5f * x * (1.0f + t);
}

ALPS_INLINE float total(const Vector& v) {
  float sum = 0;
  for (size_t k = 0; k < 8; ++k) sum += v[k];
  return sum;
}

// numbers i .. i + 7 of a row; 0 beyond its end
ALPS_INLINE void load(const float* row, size_t i, size_t size, Vector& v) {
  v = Vector{};
  if (i + 8 <= size)
    v = vector_at(row + i);
  else
    std::memcpy(&v, row + i, (size - i) * sizeof(float));
}
ALPS_INLINE void store(const Vector& v, size_t i, size_t size, float* row) {
  if (i + 8 <= size)
    vector_at(row + i) = v;
  else
    std::memcpy(row + i, &v, (size - i) * sizeof(float));
}

ALPS_CLONES void gelu_row(const float* in, size_t size, float* out) {
  for (size_t i = 0; i < size; i += 8) {
    Vector x;
    load(in, i, size, x);
    gelu_in_place(x);
    store(x, i, size, out);
  }
}

ALPS_CLONES void gelu_norm_row(const float* in, size_t size, const float* gain, const float* bias, float* out,
                               RowScale& row) {
  Vector sums = {}, x, factor, shift;
  for (size_t i = 0; i < size; i += 8) {
    load(in, i, size, x);
    gelu_in_place(x);
    sums += x;
    store(x, i, size, out);
  }
  row.mean = total(sums) / static_cast<float>(size);
  Vector squares = {};
  for (size_t i = 0; i < size; i += 8) {
    load(out, i, size, x);
    x -= row.mean;
    squares += x * x;
  }
  // the zeros beyond the end were counted
  const float beyond = static_cast<float>((8 - size % 8) % 8) * row.mean * row.mean;
  row.scale = 1.0f / std::sqrt((total(squares) - beyond) / static_cast<float>(size) + kEpsilon);
  for (size_t i = 0; i < size; i += 8) {
    load(out, i, size, x);
    load(gain, i, size, factor);
    load(bias, i, size, shift);
    store((x - row.mean) * row.scale * factor + shift, i, size, out);
  }
}

ALPS_CLONES void gelu_gradient_row(const float* in, size_t size, float* gradient) {
  Vector x, slope, out;
  for (size_t i = 0; i < size; i += 8) {
    load(in, i, size, x);
    load(gradient, i, size, out);
    gelu_in_place(x, slope);
    store(out * slope, i, size, gradient);
  }
}

// slopes, normalized: room for a row each
ALPS_CLONES void gelu_norm_gradient_row(const float* in, const RowScale& row, const float* gain, size_t size,
                                        float* gradient, float* gain_gradient, float* bias_gradient, float* slopes,
                                        float* normalized) {
  Vector sums = {}, products = {}, x, slope, out, sum, factor;
  for (size_t i = 0; i < size; i += 8) {
    load(in, i, size, x);
    gelu_in_place(x, slope);
    x = (x - row.mean) * row.scale;
    load(gradient, i, size, out);  // 0 beyond the end
    load(gain_gradient, i, size, sum);
    store(sum + out * x, i, size, gain_gradient);
    load(bias_gradient, i, size, sum);
    store(sum + out, i, size, bias_gradient);
    load(gain, i, size, factor);
    out *= factor;
    sums += out;
    products += out * x;
    store(out, i, size, gradient);
    store(slope, i, size, slopes);
    store(x, i, size, normalized);
  }
  const float mean = total(sums) / static_cast<float>(size), along = total(products) / static_cast<float>(size);
  for (size_t i = 0; i < size; i += 8) {
    load(gradient, i, size, out);
    load(normalized, i, size, x);
    load(slopes, i, size, slope);
    store(row.scale * (out - mean - along * x) * slope, i, size, gradient);
  }
}

}  // namespace

void gelu(const float* in, size_t size, float* out) { gelu_row(in, size, out); }

RowScale gelu_norm(const float* in, size_t size, const float* gain, const float* bias, float* out) {
  RowScale row;
  gelu_norm_row(in, size, gain, bias, out, row);
  return row;
}

void gelu_gradient(const float* in, size_t size, float* gradient) { gelu_gradient_row(in, size, gradient); }

void gelu_norm_gradient(const float* in, RowScale row, const float* gain, size_t size, float* gradient,
                        float* gain_gradient, float* bias_gradient) {
  thread_local std::vector<float> memory;
  std::vector<float>& own = memory;  // looked up once
  if (own.size() < 2 * size) own.resize(2 * size);
  gelu_norm_gradient_row(in, row, gain, size, gradient, gain_gradient, bias_gradient, own.data(), own.data() + size);
}

}  // namespace alps
