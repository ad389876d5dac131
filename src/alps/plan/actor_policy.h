// A policy that does not plan: network "actor" of a run's bundle maps state and goal to an action, as goal-conditioned
// behaviour cloning (learn/gcbc.h) and most other baselines leave it. Deterministic; its decisions have an action and a
// time and no other trace.
#pragma once

#include <memory>

#include "alps/nn/bundle.h"
#include "alps/plan/policy.h"

namespace alps {

class ActorPolicy : public Policy {
 public:
  explicit ActorPolicy(std::shared_ptr<const Bundle> bundle);  // Error if it has no actor of the right size

  void reset(Observation goal, Rng rng) override;
  Decision act(Observation observation) override;
  std::unique_ptr<Policy> clone() const override { return std::make_unique<ActorPolicy>(*this); }
  const PolicySpec& spec() const override { return spec_; }

 private:
  std::shared_ptr<const Bundle> bundle_;
  PolicySpec spec_;
  std::vector<float> goal_;  // normalized; empty before reset
};

}  // namespace alps
