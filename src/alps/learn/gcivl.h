// GCIVL, goal-conditioned implicit value learning (Kostrikov et al. 2021; Park et al. 2023): a value V(s, g) of how
// many steps lie between state and goal, without actions: an expectile of r + discount V(s', g) over what follows s in
// the data, where r is -1 until the goal is reached. The actor imitates the steps that brought the goal nearer (AWR).
#pragma once

#include "alps/learn/agent.h"

namespace alps {

struct GcivlSettings {
  double awr = 10;
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("awr", s.awr, Range{0, 1000}, "inverse temperature of the actor: 0 imitates all that was done");
  }
};

struct GcivlNetworks {
  Twins value;   // (state, goal) -> V
  Twins target;  // its slow copy
  Network actor;
};

Loss gcivl_loss(const GcivlNetworks& networks, const GoalBatch& batch, double discount, double expectile, double awr);

PartKind gcivl_part();

}  // namespace alps
