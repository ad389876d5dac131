// QRL, quasimetric reinforcement learning (Wang et al. 2023). The distance d(s, g) between the phi of two states is an
// interval quasimetric (learn/iqe.h), so it obeys the triangle inequality. Successive states may be at most one step
// apart, and all others are pushed as far apart as that allows: what is left is the length of the shortest way. The
// bound is held by a multiplier that grows while successive states are too far apart. A model of one step in the
// latent space tells where an action leads; the actor shortens the distance from there to the goal and stays near the
// data (DDPG+BC).
#pragma once

#include "alps/learn/agent.h"

namespace alps {

struct QrlSettings {
  int latent = 512;
  double margin = 0.05;
  double bc_weight = 0.003;
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("latent", s.latent, Range{8, 8192}, "numbers of phi, a multiple of 8");
    visit("margin", s.margin, Range{0, 10}, "how much the squared bound on successive states may be missed by");
    visit("bc_weight", s.bc_weight, Range{0, 1000}, "how much staying near the data's actions counts for the actor");
  }
};

inline constexpr int64_t kIqeGroup = 8;

struct QrlNetworks {
  Network phi;                // (state) -> latent
  at::Tensor alpha;           // (1) before the sigmoid: how much the mean of the groups counts
  Network dynamics;           // (latent, action) -> change of the latent
  at::Tensor log_multiplier;  // (1)
  Network actor;              // (state, goal) -> action

  at::Tensor distance(const at::Tensor& from, const at::Tensor& to) const;  // of latents, (n)
};

Loss qrl_loss(const QrlNetworks& networks, const GoalBatch& batch, double margin, double bc_weight);

PartKind qrl_part();

}  // namespace alps
