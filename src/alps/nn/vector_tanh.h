// tanh of eight floats at once, for the kernels of nn/ only.
#pragma once

#include <numbers>

#include "alps/base/simd.h"

namespace alps {

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

}  // namespace alps
