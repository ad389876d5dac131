// An objective that finds the span of the slowest functions in far fewer steps than ALLO, for bodies with many columns
// (preset fast): over the outputs u of the encoder, with D = 1/2 E (u - u')(u - u')^T over pairs and C their
// covariance,
//   minimize log det D - log det C  =  sum_i log lambda_i,
// the eigenvalues of C^-1 D, which are the Rayleigh-Ritz values of the Laplacian in the span of the outputs. Every
// eigenvalue counts by its ratio, so slow functions are refined as eagerly as fast ones, no multiplier has to converge,
// and any basis of the span will do: the Rayleigh-Ritz solve afterwards (rayleigh_ritz.h) gives order and scale.
#pragma once

#include <ATen/ATen.h>

namespace alps {

// u (2n, d): outputs for the states of n pairs and for their successors. Scalar, per output.
at::Tensor logdet_loss(const at::Tensor& u);

}  // namespace alps
