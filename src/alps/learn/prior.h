// The behaviour prior: a deterministic policy prior(x, psi(x), psi(x_goal)) -> a that imitates the data, where the goal
// is the state k steps later, k uniform in 1 .. K_max (paper, section 4). psi is frozen. While it learns, the network
// is given phi(x) and the way phi(x_goal) - phi(x), each column in units of its usual size; what is saved takes psi.
//
// Two losses. The paper's (eq. 3) is the squared error, whose optimum is the mean action. Data makers add noise to what
// they want and then clip it to the limits, so a mean action is weaker than the one that was wanted: of a wish of 1
// with noise of deviation 1 the mean is 0.6. The censored loss (Tobin 1958) takes an action at a limit for what it is,
// a wish somewhere beyond, and finds the wish.
#pragma once

#include <ATen/ATen.h>

#include "alps/learn/networks.h"

namespace alps {

// states (n, s), psi of them and of their goals (n, d), or phi and the way -> actions (n, a)
at::Tensor prior_wishes(const Network& prior, const at::Tensor& states, const at::Tensor& here,
                        const at::Tensor& there);

// mean over the batch of || wish - action ||^2                                                             (eq. 3)
at::Tensor square_loss(const at::Tensor& wishes, const at::Tensor& actions);

// wishes, actions (n, a), log_sigma (a), actions within +-limit -> mean over the batch of the negative log likelihood
//   log sigma + (action - wish)^2 / (2 sigma^2)     inside the limits
//   -log Phi((wish - limit) / sigma)                at the upper one, and likewise at the lower
at::Tensor censored_loss(const at::Tensor& wishes, const at::Tensor& actions, const at::Tensor& log_sigma,
                         double limit);

}  // namespace alps
