// GCBC, goal-conditioned behaviour cloning (Lynch et al. 2019; Ghosh et al. 2021), OGBench's simplest baseline: an
// actor imitates the data's action given the state and a goal, which is a state that the same trajectory reaches later,
// any time until its end with the same probability. With a Gaussian of fixed deviation the likelihood is a squared
// error. No map, no model, no search: what planning adds is measured against this.
#pragma once

#include <string>

#include "alps/learn/method.h"

namespace alps {

struct GcbcSettings {
  int actor_layers = 4;
  int actor_width = 256;
  int actor_steps = 60'000;
  int actor_batch = 512;
  double actor_lr = 1e-3;
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("actor_layers", s.actor_layers, Range{2, 16}, "linear layers of the actor");
    visit("actor_width", s.actor_width, Range{1, 8192}, "units of the actor's hidden layers");
    visit("actor_steps", s.actor_steps, Range{1, 1e9}, "training steps of the actor; more for bodies with more joints");
    visit("actor_batch", s.actor_batch, Range{1, 1 << 20}, "examples in a batch of the actor");
    visit("actor_lr", s.actor_lr, Range{1e-12, 10}, "learning rate of the actor");
  }
};

// states, goals (n, s), actions (n, a) -> mean over the batch of || actor(state, goal) - action ||^2
at::Tensor gcbc_loss(const Network& actor, const at::Tensor& states, const at::Tensor& goals,
                     const at::Tensor& actions);

PartKind gcbc_part();

}  // namespace alps
