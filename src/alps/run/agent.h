// An agent: as many episodes side by side as it was given goals, each with a policy of its own. For callers who hold a
// batch of observations, or who tell the goal with every observation and never say when an episode begins (OGBench's
// evaluation loop): an episode goes on while its goal stays the same, and another goal begins a new one. One thread at
// a time; clone() gives other threads theirs, with the same networks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "alps/base/observation.h"
#include "alps/plan/policy.h"

namespace alps {

class Agent {
 public:
  // without seeds of their own, episode k of this agent draws from Rng(seed).fork(k)
  explicit Agent(MakePolicy make_policy, uint64_t seed = 0);

  const PolicySpec& spec() const { return policies_[0]->spec(); }
  const Policy& policy() const { return *policies_[0]; }
  uint64_t seed() const { return seed_; }
  Agent clone(uint64_t seed) const { return Agent(make_policy_, seed); }

  // Episodes towards goals (n, observation_size). With a seed, the first draws from Rng(seed), as `alps plan` does, and
  // number i from Rng(seed).fork(i).
  void reset(Observation goals, std::optional<uint64_t> seed = {});
  size_t episodes() const { return episodes_; }

  // One decision of each episode, for observations (n, observation_size). `goals`: empty, or one for each; then no
  // reset is needed. `seed` is for the episodes that begin. The decisions do not depend on the number of threads.
  std::vector<Decision> plan(Observation observations, Observation goals = {}, std::optional<uint64_t> seed = {},
                             int threads = 0);

 private:
  size_t count(Observation rows, const char* what) const;
  Observation row(Observation rows, size_t i) const;
  void begin(size_t i, Observation goal, std::optional<uint64_t> seed);
  void resize(size_t n);

  MakePolicy make_policy_;
  uint64_t seed_, begun_ = 0;
  size_t episodes_ = 0;
  std::vector<std::unique_ptr<Policy>> policies_;  // at least one, and at least episodes_
  std::vector<ObservationCopy> goals_;             // of the episodes
};

}  // namespace alps
