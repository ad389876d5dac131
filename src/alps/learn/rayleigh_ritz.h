// The finish of the representation: in the span of given features f_1 .. f_m of the state, the functions that solve
//   minimize 1/2 E |v(s) - v(s')|^2   subject to E v = 0, E v^2 = 1, mutually orthogonal
// exactly, a generalized eigenproblem A v = lambda B v with A = 1/2 E (f - f')(f - f')^T over pairs and B the
// covariance of f over rows. Both come from one pass over the data.
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <functional>
#include <vector>

#include "alps/base/rng.h"
#include "alps/learn/train_data.h"

namespace alps {

struct RitzResult {
  std::vector<float> eigenvalues;  // (count), ascending
  at::Tensor weight, bias;         // (count, m), (count): v_i(s) = weight_i . f(s) + bias_i, unit norm, zero mean
  int64_t rank = 0;                // directions of the span that vary
};

// rows of the split -> features (n, m)
using Features = std::function<at::Tensor(const std::vector<size_t>& rows)>;

// Fewer than `count` functions where the features vary in fewer directions, as those of a world of few columns may.
RitzResult rayleigh_ritz(const Split& split, const Features& features, double gamma, int64_t count, Rng rng,
                         int threads = 1);

// the small problem alone: A, B (m, m) and the mean of f (m), double; directions with less than the share `least` of
// the largest variance are left out. `setting` is what gave the count: Error that names it where too few vary; null:
// those that vary will do.
RitzResult solve_ritz(const at::Tensor& a, const at::Tensor& b, const at::Tensor& mean, int64_t count,
                      double least = 1e-7, const char* setting = "eigenvectors");

}  // namespace alps
