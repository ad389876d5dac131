// SAW, subgoal advantage-weighted policy bootstrapping (Zhou and Kao 2025): an actor without levels that learns from
// one of near goals. The value is hiql's, as are its batches. A lower actor learns to reach states some steps ahead
// (AWR); the actor for all goals imitates what was done (AWR), and besides what the lower actor would do to get to
// where the data were some steps on, the more so the nearer that lies to the goal. Only the actor for all goals acts.
#pragma once

#include "alps/learn/hiql.h"

namespace alps {

struct SawSettings {
  int subgoal_steps = 25;
  int goal_numbers = 10;
  double low_awr = 3;
  double awr = 3;
  double way_awr = 3;
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("subgoal_steps", s.subgoal_steps, Range{1, 100000}, "how many steps ahead the lower actor's goals lie");
    visit("goal_numbers", s.goal_numbers, Range{1, 4096}, "size of the representations of goals");
    visit("low_awr", s.low_awr, Range{0, 1000}, "inverse temperature of the lower actor: 0 imitates all that was done");
    visit("awr", s.awr, Range{0, 1000}, "inverse temperature of the actor, where it imitates what was done");
    visit("way_awr", s.way_awr, Range{0, 1000}, "inverse temperature of the actor, where it imitates the lower one");
  }
};

struct SawNetworks {
  Network phi;         // (state, goal) -> representation for the value, before its length is set
  Twins value;         // (state, representation) -> V
  Twins target;        // its slow copy; phi has none
  Network actor_goal;  // (state, goal) -> representation for the actor
  Network actor;       // (state, representation) -> action
  Network low_actor;   // (state, goal) -> action
};

Loss saw_loss(const SawNetworks& networks, const HiqlBatch& batch, double discount, double expectile,
              const SawSettings& settings);

PartKind saw_part();

}  // namespace alps
