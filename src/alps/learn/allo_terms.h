// ALLO's loss and its gradient by hand, on plain floats (see allo.h for the objective). With the errors
// E = tril(U^T [U] / n - I) of the two constraint batches, the factor of [u_k] in u_j's gradient is
//   G1 = tril(beta / 2 + b E2) / n   for the first batch,   G2 = tril(beta / 2 + b E1) / n   for the second,
// so dU1 = U1 G1^T, and the graph term adds (u - u') / n. Checked against autograd in tests/golden.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace alps {

struct AlloTerms {
  double graph = 0, dual = 0, barrier = 0;
  std::vector<float> error;     // (d+1, d+1) lower triangle: mean of the two batches' constraint errors
  std::vector<float> gradient;  // (rows, d), of u
};

// u (rows, d), of which row places[i] is the i-th of: n states, their successors, and the constraint batches. With 4n
// rows these are two others; with 3n the states are the first themselves, drawn from (nearly) the same rows and
// independent of the second, so that the product of the errors stays unbiased. duals (d+1, d+1). The result does not
// depend on `threads`.
AlloTerms allo_terms(std::span<const float> u, std::span<const int64_t> places, size_t n, size_t d,
                     std::span<const float> duals, double barrier, int threads);

}  // namespace alps
