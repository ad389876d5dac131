// The policy of a hierarchy (learn/hiql.h): in each decision network "high_actor" maps state and goal to the
// representation of a subgoal, whose length is set to the root of its size, and "low_actor" maps state and subgoal to
// an action. A decision holds the action, the subgoal's representation (`subgoal`) and the time.
#pragma once

#include "alps/plan/network_policy.h"

namespace alps {

class TwoLevelPolicy : public NetworkPolicy {
 public:
  explicit TwoLevelPolicy(std::shared_ptr<const Bundle> bundle);  // Error where networks are missing or do not fit
  std::unique_ptr<Policy> clone() const override { return std::make_unique<TwoLevelPolicy>(*this); }

 private:
  void decide(const std::vector<float>& state, Decision& decision) override;
};

}  // namespace alps
