// A policy that does not plan: network "actor" of a run's bundle maps state and goal to an action, as goal-conditioned
// behaviour cloning (learn/gcbc.h) and most other baselines leave it. Where there is a network "actor_goal"
// (learn/saw.h), the actor sees goals as that represents them, with their length set. Its decisions have an action and
// a time and no other trace.
#pragma once

#include "alps/plan/network_policy.h"

namespace alps {

class ActorPolicy : public NetworkPolicy {
 public:
  explicit ActorPolicy(std::shared_ptr<const Bundle> bundle);  // Error if it has no actor of the right size
  std::unique_ptr<Policy> clone() const override { return std::make_unique<ActorPolicy>(*this); }

 private:
  void decide(const std::vector<float>& state, Decision& decision) override;
};

}  // namespace alps
