// The behaviour prior: a deterministic policy prior(x, psi(x), psi(x_goal)) -> a that imitates the data, where the goal
// is the state k steps later, k uniform in 1 .. K_max (paper, section 4). psi is frozen.
#pragma once

#include <ATen/ATen.h>

#include "alps/learn/networks.h"

namespace alps {

// psi of states, of states a few steps later and of goals (n, d) -> (n), with a mean of one: exp(power x how much nearer
// the goal came, in deviations over the batch). Data also hold ways to a goal that first lead away from it, such as
// those of an ant that sways about a place; without weights the prior imitates these too.
at::Tensor progress_weights(const at::Tensor& here, const at::Tensor& next, const at::Tensor& there, double power);

// states (n, s), psi of states and goals (n, d), actions (n, a), weights (n)
// -> mean over the batch of weight || prior(x, psi(x), psi(goal)) - a ||^2                                    (eq. 3)
at::Tensor prior_loss(const Network& prior, const at::Tensor& states, const at::Tensor& here, const at::Tensor& there,
                      const at::Tensor& actions, const at::Tensor& weights);

}  // namespace alps
