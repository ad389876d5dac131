// What policies share that ask a run's networks and do not search (an actor, two levels, directions): the goal of the
// episode, checks, limits and time. Deterministic.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "alps/nn/bundle.h"
#include "alps/plan/policy.h"

namespace alps {

class NetworkPolicy : public Policy {
 public:
  void reset(Observation goal, Rng rng) final;
  Decision act(Observation observation) final;
  const PolicySpec& spec() const final { return spec_; }

 protected:
  explicit NetworkPolicy(std::shared_ptr<const Bundle> bundle);
  void expect(const std::string& network, size_t inputs, size_t outputs) const;  // Error where it is another
  // network(first, second)
  std::vector<float> answer(const std::string& network, std::vector<float> first,
                            std::span<const float> second = {}) const;
  const Bundle& bundle() const { return *bundle_; }
  const std::vector<float>& goal() const { return goal_; }  // normalized

  virtual void begin() {}  // a new episode; the goal is there
  // fills in the action, in units of its limits, and what else there is to tell
  virtual void decide(const std::vector<float>& state, Decision& decision) = 0;

 private:
  std::shared_ptr<const Bundle> bundle_;
  PolicySpec spec_;
  std::vector<float> goal_;  // empty before reset
};

// a vector of the same direction, as long as the root of how many numbers it has
void set_root_length(std::span<float> x);

}  // namespace alps
