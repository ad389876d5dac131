#include "alps/nn/norm_tanh.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "alps/base/simd.h"

namespace alps {
namespace {

constexpr float kEpsilon = 1e-5f;

// tanh x = (e - 1) / (e + 1) with e = exp 2x, within 2e-7 of the exact value: 2x = k ln 2 + r, and exp r by its series
// up to r^7. libm's tanh takes twenty times as long, half of an encoder's time.
ALPS_INLINE void tanh_in_place(Vector& x) {
  constexpr float kFlat = 9.0f;  // beyond, tanh is 1 to the last bit
  x = x > kFlat ? Vector{} + kFlat : x;
  x = x < -kFlat ? Vector{} - kFlat : x;
  const Vector y = x * (2 / std::numbers::ln2_v<float>);
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it rounds to a whole number in the low bits
  const Vector shifted = y + kRound, whole = shifted - kRound;
  const Vector r = (2.0f * x - whole * 0.693145751953125f) - whole * 1.42860677e-6f;  // ln 2 in two parts
  Vector series = Vector{} + 1.0f / 5040;
  for (float factor : {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f}) series = series * r + factor;
  // times 2^k by adding k to the exponent
  const Integers bits = ((Integers)shifted - 0x4B400000) << 23;
  const Vector e = (Vector)((Integers)series + bits);
  x = (e - 1.0f) / (e + 1.0f);
}

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
