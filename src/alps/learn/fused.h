// Networks in training by our own kernels (nn/backprop.h) on the CPU, in fp32 or in bf16 with fp32 weights: two to
// three times as fast as torch's operations one by one. They enter torch's autograd as single functions, so losses are
// written as usual.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "alps/nn/panels.h"

namespace alps {

// what a network consists of: weight and bias of each layer, then gain and bias of each layer norm
struct FusedNetwork {
  std::vector<at::Tensor> parameters;
  int norms = 0;      // how many
  bool gelu = false;  // the units; norms follow each of them. Otherwise ReLU, or norm and tanh after the first layer
  int threads = 1;
  Precision precision = Precision::kFp32;
};

// x (n, inputs) -> (n, outputs). Where no parameter wants a gradient, none is computed for them.
at::Tensor fused_forward(const FusedNetwork& network, const at::Tensor& x);

// start (n, s), actions (H, n, a) -> states (H, n, s), each x + mean + deviation * network(x, action)
at::Tensor fused_roll_out(const FusedNetwork& network, const at::Tensor& mean, const at::Tensor& deviation,
                          const at::Tensor& start, const at::Tensor& actions);

}  // namespace alps
