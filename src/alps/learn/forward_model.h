// The forward model: x' = x + change_mean + change_deviation * model(x, a) on normalized states, trained by the
// multi-step loss (paper, section 4)
//   1/H sum_{tau=1..H} || x^_{t+tau} - x_{t+tau} ||^2,   x^_{t+tau} = f(x^_{t+tau-1}, a_{t+tau-1}),
// with gradients through time. The error may be measured in units of the state's deviation, as the paper does, or of
// the deviation of one step's change, which gives slow and fast columns the same weight.
#pragma once

#include <ATen/ATen.h>

#include "alps/learn/networks.h"

namespace alps {

struct ChangeScale {
  at::Tensor mean, deviation;  // (state) of one step of the normalized state
  at::Tensor unit;             // (state) by which errors are divided
};

// states (H+1, n, s), actions (H, n, a) -> predictions (H, n, s)
at::Tensor roll_out(const Network& model, const ChangeScale& scale, const at::Tensor& start, const at::Tensor& actions);
at::Tensor multi_step_loss(const Network& model, const ChangeScale& scale, const at::Tensor& states,
                           const at::Tensor& actions);

}  // namespace alps
