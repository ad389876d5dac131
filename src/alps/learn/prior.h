// The behaviour prior: a deterministic policy prior(x, psi(x), psi(x_goal)) -> a that imitates the data, where the goal
// is the state k steps later, k uniform in 1 .. K_max (paper, section 4). psi is frozen.
#pragma once

#include <ATen/ATen.h>

#include "alps/learn/networks.h"

namespace alps {

// states (n, s), psi of them and of their goals (n, d), actions (n, a)
//   -> mean over the batch of || prior(x, psi(x), psi(goal)) - a ||^2
at::Tensor prior_loss(const Network& prior, const at::Tensor& states, const at::Tensor& here, const at::Tensor& there,
                      const at::Tensor& actions);

}  // namespace alps
