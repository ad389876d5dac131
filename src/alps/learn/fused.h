// Networks in training by our own kernels (nn/backprop.h) on the CPU, in fp32 or in bf16 with fp32 weights: two to
// three times as fast as torch's operations one by one. They enter torch's autograd as single functions, so losses are
// written as usual.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "alps/nn/panels.h"

namespace alps {

// what a network consists of: weight and bias of each layer, then gain and bias of the layer norm, if it has one
struct FusedNetwork {
  std::vector<at::Tensor> parameters;
  bool norm;
  int threads;
  Precision precision;
};

// x (n, inputs) -> (n, outputs)
at::Tensor fused_forward(const FusedNetwork& network, const at::Tensor& x);

// start (n, s), actions (H, n, a) -> states (H, n, s), each x + mean + deviation * network(x, action)
at::Tensor fused_roll_out(const FusedNetwork& network, const at::Tensor& mean, const at::Tensor& deviation,
                          const at::Tensor& start, const at::Tensor& actions);

}  // namespace alps
