#include "alps/plan/two_level_policy.h"

namespace alps {

TwoLevelPolicy::TwoLevelPolicy(std::shared_ptr<const Bundle> bundle) : NetworkPolicy(std::move(bundle)) {
  const size_t states = this->bundle().state_size(), goal = this->bundle().network("goal").outputs();
  expect("goal", 2 * states, goal);
  expect("high_actor", 2 * states, goal);
  expect("low_actor", states + goal, this->bundle().action_size());
}

void TwoLevelPolicy::decide(const std::vector<float>& state, Decision& decision) {
  decision.subgoal = answer("high_actor", state, goal());
  set_root_length(decision.subgoal);
  decision.action = answer("low_actor", state, decision.subgoal);
}

}  // namespace alps
