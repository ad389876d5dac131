// Where and how a network in training is computed. Passed to whatever computes; nothing of it is global.
#pragma once

#include <ATen/ATen.h>

#include "alps/nn/panels.h"

namespace alps {

struct Compute {
  at::Device device = at::kCPU;
  int threads = 1;                         // of our kernels
  Precision precision = Precision::kFp32;  // of our kernels; weights are always fp32
  bool autocast = false;                   // bf16 by torch, where our kernels do not compute in it
};

}  // namespace alps
