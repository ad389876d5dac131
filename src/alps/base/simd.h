// What the few hot kernels share: eight floats side by side, and one copy of a function per instruction set, chosen
// when the program starts. Sums are written out as vectors because g++ 12 keeps an array of floats in memory: 5 instead
// of 70 to 95 GFLOP/s on one core with AVX2.
#pragma once

// sanitizers run before the choice of a copy works
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ALPS_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ALPS_CLONES
#endif

// into the copy that calls it
#define ALPS_INLINE __attribute__((always_inline)) inline

namespace alps {

using Vector = float __attribute__((vector_size(32), aligned(4), may_alias));  // at any address of floats
inline const Vector& vector_at(const float* at) { return *reinterpret_cast<const Vector*>(at); }
inline Vector& vector_at(float* at) { return *reinterpret_cast<Vector*>(at); }

// Four floats, for processors whose registers hold no more: there g++ 12 keeps eight in memory, 1 instead of 20
// GFLOP/s.
using Quad = float __attribute__((vector_size(16), aligned(4), may_alias));

// whether registers hold eight
inline bool wide_registers() {
#if defined(__x86_64__)
  static const bool wide = __builtin_cpu_supports("avx2");
  return wide;
#else
  return false;
#endif
}

using Integers = int __attribute__((vector_size(32), aligned(4), may_alias));  // their bits
inline const Integers& integers_at(const float* at) { return *reinterpret_cast<const Integers*>(at); }

}  // namespace alps
