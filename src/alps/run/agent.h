// An agent of a run: as many episodes side by side as it was given goals, each with a planner of its own. For callers
// who hold a batch of observations, or who tell the goal with every observation and never say when an episode begins
// (OGBench's evaluation loop): an episode goes on while its goal stays the same, and another goal begins a new one.
// One thread at a time; clone() gives other threads theirs, with the same model and graph.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "alps/run/run.h"

namespace alps {

class Agent {
 public:
  // without seeds of their own, episode k of this agent draws from Rng(seed).fork(k)
  Agent(Run run, PlannerConfig config, uint64_t seed = 0);

  const Run& run() const { return run_; }
  const PlannerConfig& config() const { return config_; }
  uint64_t seed() const { return seed_; }
  Agent clone(uint64_t seed) const { return Agent(run_, config_, seed); }

  // Episodes towards goals (n, observation_size). With a seed, the first draws from Rng(seed), as `alps plan` does, and
  // number i from Rng(seed).fork(i).
  void reset(std::span<const float> goals, std::optional<uint64_t> seed = {});
  size_t episodes() const { return episodes_; }

  // One decision of each episode, for observations (n, observation_size). `goals`: empty, or one for each; then no
  // reset is needed. `seed` is for the episodes that begin. The decisions do not depend on the number of threads.
  std::vector<Decision> plan(std::span<const float> observations, std::span<const float> goals = {},
                             std::optional<uint64_t> seed = {}, int threads = 0);

 private:
  size_t count(std::span<const float> rows, const char* what) const;
  void begin(size_t i, std::span<const float> goal, std::optional<uint64_t> seed);
  void resize(size_t n);

  Run run_;
  PlannerConfig config_;
  uint64_t seed_, begun_ = 0;
  size_t episodes_ = 0;
  std::vector<Planner> planners_;          // at least episodes_
  std::vector<std::vector<float>> goals_;  // of the episodes
};

}  // namespace alps
