// The policy of a hierarchy (learn/hiql.h): in each decision network "high_actor" maps state and goal to the
// representation of a subgoal, whose length is set to the root of its size, and "low_actor" maps state and subgoal to
// an action. Deterministic. A decision holds the action, the subgoal's representation (`subgoal`) and the time.
#pragma once

#include <memory>

#include "alps/nn/bundle.h"
#include "alps/plan/policy.h"

namespace alps {

class TwoLevelPolicy : public Policy {
 public:
  explicit TwoLevelPolicy(std::shared_ptr<const Bundle> bundle);  // Error where networks are missing or do not fit

  void reset(Observation goal, Rng rng) override;
  Decision act(Observation observation) override;
  std::unique_ptr<Policy> clone() const override { return std::make_unique<TwoLevelPolicy>(*this); }
  const PolicySpec& spec() const override { return spec_; }

 private:
  std::shared_ptr<const Bundle> bundle_;
  PolicySpec spec_;
  std::vector<float> goal_;  // normalized; empty before reset
};

}  // namespace alps
