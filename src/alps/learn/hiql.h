// HIQL, hierarchical implicit Q-learning (Park et al. 2023). One value V(s, phi([s; g])) is learned as GCIVL does,
// through a goal representation phi of few numbers, whose length is the root of how many they are. It serves two
// actors, both trained by advantage-weighted regression: the upper one says where to be some steps ahead, as phi of
// that state; the lower one takes an action towards it. Near goals need no value over long ways, and far ones no
// precise actions. Method saw shares the value and the batches.
#pragma once

#include "alps/learn/agent.h"

namespace alps {

struct HiqlSettings {
  int subgoal_steps = 25;
  int goal_numbers = 10;
  double high_awr = 3;
  double low_awr = 3;
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("subgoal_steps", s.subgoal_steps, Range{1, 100000}, "how many steps ahead the upper actor's subgoals lie");
    visit("goal_numbers", s.goal_numbers, Range{1, 4096}, "size of the representation of goals");
    visit("high_awr", s.high_awr, Range{0, 1000},
          "inverse temperature of the upper actor: 0 imitates all that was done");
    visit("low_awr", s.low_awr, Range{0, 1000}, "inverse temperature of the lower actor");
  }
};

struct HiqlNetworks {
  Network phi;         // (state, goal) -> representation, before its length is set
  Twins value;         // (state, representation) -> V
  Twins target;        // its slow copy; phi has none
  Network high_actor;  // (state, goal) -> representation of the subgoal
  Network low_actor;   // (state, representation) -> action
};

// (n, state) and (n, action); reached (n): 1 where the state is the value's goal
struct HiqlBatch {
  at::Tensor states, next, actions, reached;
  at::Tensor value_goals;
  at::Tensor low_goals;             // subgoal_steps ahead, or the trajectory's end
  at::Tensor high_goals, subgoals;  // and where the data were on the way to the goal
};

Loss hiql_loss(const HiqlNetworks& networks, const HiqlBatch& batch, double discount, double expectile,
               const HiqlSettings& settings);

// rows of the same direction, as long as the root of their size
at::Tensor with_root_length(const at::Tensor& x);

// rows beside each other
at::Tensor beside(const at::Tensor& a, const at::Tensor& b);

struct StateAndGoal {
  at::Tensor state, goal;
};
// representations of goals without gradients, all in one pass
std::vector<at::Tensor> represented(const Network& phi, const std::vector<StateAndGoal>& pairs);
// values without gradients, (n) each, where goals are represented already; all in one pass
std::vector<at::Tensor> valued(const Twins& value, const std::vector<StateAndGoal>& pairs);
// of V(s, goal), where `goal` has gradients and `next_goal` is its representation from the next state
struct LevelLoss {
  at::Tensor loss, value;  // value: mean of the first of two
};
LevelLoss level_loss(const Twins& value, const Twins& target, const HiqlBatch& batch, const at::Tensor& goal,
                     const at::Tensor& next_goal, double discount, double expectile);

// a part that draws such batches
class LevelsPart : public AgentPart {
 protected:
  explicit LevelsPart(const PartContext& c) : AgentPart(c), expectile_(c.profile.get<ExpectileSettings>()) {}
  HiqlBatch draw_levels(const Split& split, Rng rng, size_t subgoal_steps);

  const ExpectileSettings expectile_;
};

PartKind hiql_part();

}  // namespace alps
