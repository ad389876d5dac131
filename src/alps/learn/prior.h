// The behaviour prior: a deterministic policy prior(x, psi(x), psi(x_goal)) -> a that imitates the data, where the goal
// is the state k steps later, k uniform in 1 .. K_max (paper, section 4). psi is frozen. While it learns, the network
// is given phi(x) and the way phi(x_goal) - phi(x), each column in units of its usual size; what is saved takes psi.
//
// Two losses. The paper's (eq. 3) is the squared error, whose optimum is the mean action. Data makers add noise to the
// action they intend and clip the sum to the limits, so the mean is weaker than the intended action: for an intended 1
// with noise of deviation 1 the mean is 0.6. The censored loss (Tobin 1958) treats an action at a limit as "this much
// or more", and finds the intended action, below called the wish.
#pragma once

#include <ATen/ATen.h>

#include "alps/learn/method.h"
#include "alps/learn/networks.h"

namespace alps {

struct PriorSettings {
  int prior_layers = 4;
  int prior_width = 256;
  int prior_horizon = 25;
  int prior_steps = 60'000;
  int prior_batch = 512;
  double prior_lr = 1e-3;
  std::string prior_loss = "square";
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("prior_layers", s.prior_layers, Range{2, 16}, "linear layers of the behaviour prior");
    visit("prior_width", s.prior_width, Range{1, 8192}, "units of the prior's hidden layers");
    visit("prior_horizon", s.prior_horizon, Range{1, 1e6},
          "K_max: in training, goals lie 1 .. K_max steps ahead; about the steps to the next region");
    visit("prior_steps", s.prior_steps, Range{1, 1e9},
          "training steps of the prior, at most; more for bodies with more joints");
    visit("prior_batch", s.prior_batch, Range{1, 1 << 20}, "examples in a batch of the prior");
    visit("prior_lr", s.prior_lr, Range{1e-12, 10}, "learning rate of the prior");
    visit("prior_loss", s.prior_loss, Choices{"square", "censored"},
          "squared error (the paper), or the likelihood of actions that were clipped at their limits, for data with "
          "strong noise");
  }
};
PartKind prior_part();

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
