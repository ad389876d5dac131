#include "alps/plan/actor_policy.h"

namespace alps {

ActorPolicy::ActorPolicy(std::shared_ptr<const Bundle> bundle) : NetworkPolicy(std::move(bundle)) {
  const size_t states = this->bundle().state_size();
  size_t goal = states;
  if (this->bundle().has("actor_goal")) {
    goal = this->bundle().network("actor_goal").outputs();
    expect("actor_goal", 2 * states, goal);
  }
  expect("actor", states + goal, this->bundle().action_size());
}

void ActorPolicy::decide(const std::vector<float>& state, Decision& decision) {
  if (!bundle().has("actor_goal")) {
    decision.action = answer("actor", state, goal());
    return;
  }
  std::vector<float> seen = answer("actor_goal", state, goal());
  set_root_length(seen);
  decision.action = answer("actor", state, seen);
}

}  // namespace alps
