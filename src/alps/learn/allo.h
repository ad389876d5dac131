// The Augmented Lagrangian Laplacian Objective (Gomez et al. 2024; paper, eq. 1):
//   sum_i <u_i, L u_i>  +  sum_{k<=j} beta_jk (<u_j, [u_k]> - delta_jk)  +  b sum_{k<=j} (<u_j, [u_k]> - delta_jk)^2
// with stop gradient [.]. Scales: <u, L u> is half the mean squared difference over pairs, so beta_jj -> -2 lambda_j.
// The constant eigenvector is the fixed zeroth column u_0 = 1 that all others are made orthogonal to; it is not learned
// and never part of psi. The quadratic term multiplies the errors of two independent batches, which keeps it unbiased.
#pragma once

#include <ATen/ATen.h>

#include <vector>

namespace alps {

struct AlloLoss {
  at::Tensor total;                 // scalar, to be minimized over u
  at::Tensor graph, dual, barrier;  // its three terms
  at::Tensor error;                 // (d+1, d+1) lower triangle: mean of the two batches' constraint errors
};

// u (rows, d), of which row places[i] is the i-th (none: row i) of the states of n pairs, their successors, and the
// constraint batches: two with 4n rows; with 3n the states of the pairs are the first. duals (d+1, d+1). On the CPU by
// allo_terms.h.
AlloLoss allo_loss(const at::Tensor& u, int64_t n, const at::Tensor& duals, double barrier,
                   std::vector<int64_t> places = {}, int threads = 1);
// the same by torch's autograd, for other devices
AlloLoss allo_loss_by_autograd(const at::Tensor& u, int64_t n, const at::Tensor& duals, double barrier,
                               std::vector<int64_t> places = {});

// gradient ascent on the duals, within [least, most], in place
void update_duals(at::Tensor& duals, const at::Tensor& error, double step, double least, double most);
at::Tensor start_duals(int64_t eigenvectors, double value, at::Device device);

// lambda_i = -beta_ii / 2 for i = 1 .. d
std::vector<float> dual_eigenvalues(const at::Tensor& duals);

}  // namespace alps
