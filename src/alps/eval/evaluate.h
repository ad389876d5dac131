// OGBench's evaluation: every task, N episodes each, success when an episode ends at its goal. Episodes run in
// parallel, each with its own environment, planner and random stream, so results do not depend on the number of
// threads. Each failure is given a cause.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "alps/base/geometry.h"
#include "alps/base/progress.h"
#include "alps/plan/planner.h"
#include "alps/world/env.h"

namespace alps {

enum class Outcome {
  kSuccess,
  kNoRoute,       // the graph knew no way to the goal for most of the time
  kTeleportTrap,  // teleported to where no path leads to the goal
  kNearGoal,      // stayed in the goal's cluster without reaching the goal
  kStuck,         // stayed in one other cluster
  kDrift,         // left its route again and again
  kOutOfTime,     // moved on, but too slowly
};
inline constexpr int kOutcomes = 7;
const char* outcome_name(Outcome outcome);

struct EpisodeRecord {
  int task = 0, index = 0;
  Outcome outcome = Outcome::kOutOfTime;
  bool success = false;
  int steps = 0;
  int replans = 0, no_routes = 0;
  double goal_distance = 0;        // on the plane, at the end
  std::vector<float> decision_ms;  // of each decision
  Point2 start, goal;              // where path is not empty
  std::vector<Point2> path;        // position before each step, and the last; empty where the world has no plane
  std::vector<int> clusters;       // of each decision
  std::vector<int> first_route;    // the first high-level plan
};

// the cause of a failure, from the last decisions
Outcome judge(const EpisodeRecord& record, const Env& env, int goal_cluster, const std::vector<bool>& replanned);

// Sees every decision before it is acted on, and once more, without one, when the episode is over. Called by the thread
// of the episode; different episodes may call at the same time.
using EpisodeWatch = std::function<void(int task, int index, const Env& env, const Decision* decision)>;

struct EvalParams {
  int episodes = 50;       // of each task
  std::vector<int> tasks;  // empty: all
  uint64_t seed = 0;
  int threads = 0;
  EpisodeWatch watch = {};
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

using MakePlanner = std::function<std::unique_ptr<Planner>()>;
EvalResult evaluate(const Env& env, const MakePlanner& make_planner, const EvalParams& params,
                    const ProgressFn& progress = {});

}  // namespace alps
