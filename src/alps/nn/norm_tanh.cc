#include "alps/nn/norm_tanh.h"

#include <algorithm>
#include <cmath>

#include "alps/nn/vector_tanh.h"

namespace alps {
namespace {

constexpr float kEpsilon = 1e-5f;

// of x - shift, or of its squares, in eight sums side by side
ALPS_INLINE float sum(const float* x, size_t size, float shift, bool squares) {
  Vector sums = {};
  size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    const Vector centered = vector_at(x + i) - shift;
    sums += squares ? centered * centered : centered;
  }
  float total = 0;
  for (size_t k = 0; k < 8; ++k) total += sums[k];
  for (; i < size; ++i) total += squares ? (x[i] - shift) * (x[i] - shift) : x[i] - shift;
  return total;
}

// of x * y
ALPS_INLINE float dot(const float* x, const float* y, size_t size) {
  Vector sums = {};
  size_t i = 0;
  for (; i + 8 <= size; i += 8) sums += vector_at(x + i) * vector_at(y + i);
  float total = 0;
  for (size_t k = 0; k < 8; ++k) total += sums[k];
  for (; i < size; ++i) total += x[i] * y[i];
  return total;
}

ALPS_INLINE void tanh_row(float* row, size_t size) {
  size_t i = 0;
  for (; i + 8 <= size; i += 8) tanh_in_place(vector_at(row + i));
  float rest[8] = {};
  std::copy(row + i, row + size, rest);
  tanh_in_place(vector_at(rest));
  std::copy_n(rest, size - i, row + i);
}

// 1 / deviation; the row becomes row - mean
ALPS_INLINE float center(float* row, size_t size) {
  const float mean = sum(row, size, 0.0f, false) / static_cast<float>(size);
  const float variance = sum(row, size, mean, true) / static_cast<float>(size);
  for (size_t i = 0; i < size; ++i) row[i] -= mean;
  return 1.0f / std::sqrt(variance + kEpsilon);
}

}  // namespace

ALPS_CLONES void norm_tanh(float* row, size_t size, const float* gain, const float* bias) {
  const float scale = center(row, size);
  for (size_t i = 0; i < size; ++i) row[i] = row[i] * scale * gain[i] + bias[i];
  tanh_row(row, size);
}

ALPS_CLONES float norm_tanh(float* row, size_t size, const float* gain, const float* bias, float* normalized) {
  const float scale = center(row, size);
  for (size_t i = 0; i < size; ++i) {
    normalized[i] = row[i] * scale;
    row[i] = normalized[i] * gain[i] + bias[i];
  }
  tanh_row(row, size);
  return scale;
}

ALPS_CLONES void norm_tanh_gradient(float* gradient, const float* out, const float* normalized, float scale,
                                    const float* gain, size_t size, float* before) {
  for (size_t i = 0; i < size; ++i) {
    gradient[i] *= 1.0f - out[i] * out[i];
    before[i] = gradient[i] * gain[i];
  }
  const float mean = sum(before, size, 0.0f, false) / static_cast<float>(size);
  const float along = dot(before, normalized, size) / static_cast<float>(size);
  for (size_t i = 0; i < size; ++i) before[i] = scale * (before[i] - mean - along * normalized[i]);
}

}  // namespace alps
