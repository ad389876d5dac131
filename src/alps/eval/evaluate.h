// OGBench's evaluation: every task, N episodes each, success when an episode ends at its goal. Episodes run in
// parallel, each with its own environment, policy and random stream, so results do not depend on the number of
// threads. Each failure is given a cause (outcomes.h).
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "alps/base/geometry.h"
#include "alps/base/progress.h"
#include "alps/eval/episode_runner.h"
#include "alps/eval/kept_episodes.h"
#include "alps/eval/outcomes.h"
#include "alps/plan/policy.h"
#include "alps/world/env.h"

namespace alps {

struct EvalParams {
  int episodes = 50;       // of each task
  std::vector<int> tasks;  // empty: all
  uint64_t seed = 0;
  int threads = 0;
  EpisodeWatch watch = {};
  KeptEpisodes* kept = nullptr;  // episodes that need not run again, and where each that ends is kept
};

struct EvalResult {
  std::vector<EpisodeRecord> episodes;  // by task, then index
  double seconds = 0;
  size_t count(int task = 0) const;  // episodes of a task; 0: of all
  size_t successes(int task = 0) const;
  double success(int task = 0) const;  // share
  double overall_success() const;      // mean over tasks, as OGBench reports it
  double mean_steps() const;           // of successful episodes
  double mean_decision_ms() const;
  double decision_ms(double share) const;  // what this share of the decisions took at most
  std::array<size_t, kOutcomes> census() const;
  std::vector<int> tasks() const;
};

// Error where the policy and the environment do not have the same observations and actions
EvalResult evaluate(const Env& env, const MakePolicy& make_policy, const EvalParams& params,
                    const ProgressFn& progress = {});

}  // namespace alps
