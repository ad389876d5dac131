// GCIQL, goal-conditioned implicit Q-learning (Kostrikov et al. 2021): a value V(s, g) that is an expectile of Q(s, a,
// g) over the data's actions, and a Q that is -1 + discount V(s', g) until the goal is reached. The actor maximizes Q
// and stays near the data (DDPG+BC).
#pragma once

#include "alps/learn/agent.h"

namespace alps {

struct GciqlSettings {
  double bc_weight = 0.3;
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("bc_weight", s.bc_weight, Range{0, 1000}, "how much staying near the data's actions counts for the actor");
  }
};

struct GciqlNetworks {
  Network value;  // (state, goal) -> V
  Twins critic;   // (state, goal, action) -> Q
  Twins target;   // its slow copy
  Network actor;  // (state, goal) -> action
};

Loss gciql_loss(const GciqlNetworks& networks, const GoalBatch& batch, double discount, double expectile,
                double bc_weight);

PartKind gciql_part();

}  // namespace alps
