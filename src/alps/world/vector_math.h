// Arithmetic on eight floats for the camera of the mazes (samples.h). Only operations that every processor rounds
// alike, and no fused ones (the files that include this are compiled so): frames have the same bytes everywhere.
#pragma once

#include <cmath>

#include "alps/base/simd.h"

namespace alps {

ALPS_INLINE Vector all(float x) { return Vector{} + x; }
ALPS_INLINE Vector least(Vector a, Vector b) { return a < b ? a : b; }
ALPS_INLINE Vector most(Vector a, Vector b) { return a > b ? a : b; }
ALPS_INLINE Vector size(Vector a) { return most(a, -a); }
ALPS_INLINE Vector root(Vector x) {
  Vector r;
  for (int k = 0; k < 8; ++k) r[k] = std::sqrt(x[k]);
  return r;
}
ALPS_INLINE bool any(Integers mask) {
  int found = 0;
  for (int k = 0; k < 8; ++k) found |= mask[k];
  return found != 0;
}
ALPS_INLINE Integers whole(Vector x) { return __builtin_convertvector(x, Integers); }
ALPS_INLINE Vector real(Integers x) { return __builtin_convertvector(x, Vector); }
ALPS_INLINE Integers& integers(int* at) { return *reinterpret_cast<Integers*>(at); }
ALPS_INLINE const Integers& integers(const int* at) { return *reinterpret_cast<const Integers*>(at); }
template <class T>
ALPS_INLINE Vector gather(const T& values, Integers at) {
  Vector v;
  for (int k = 0; k < 8; ++k) v[k] = values[at[k]];
  return v;
}
ALPS_INLINE Vector power64(Vector x) {
  for (int k = 0; k < 6; ++k) x *= x;
  return x;
}
// the angle of (x, y) in turns of 2 pi, 0 to 1, within 1e-7
ALPS_INLINE Vector turn(Vector y, Vector x) {
  const Vector ax = size(x), ay = size(y), low = least(ax, ay), high = most(most(ax, ay), all(1e-20f));
  const Vector q = low / high, s = q * q;
  Vector sum = all(0.00108413f);
  for (const float c : {-0.00534827f, 0.01267249f, -0.02106151f, 0.03152512f, -0.05302624f, 0.15915432f})
    sum = sum * s + c;
  Vector a = q * sum;
  a = ay > ax ? 0.25f - a : a;
  a = x < 0 ? 0.5f - a : a;
  return y < 0 ? 1 - a : a;
}

}  // namespace alps
