#include "alps/eval/evaluate.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>

#include "alps/base/error.h"
#include "alps/base/threads.h"
#include "alps/eval/episode_runner.h"
#include "alps/world/maze.h"
#include "alps/world/planar_view.h"

namespace alps {
namespace {

constexpr size_t kLookBack = 200;  // decisions at the end of a failed episode that tell why it failed
constexpr int kDriftReplans = 5;   // replans among them that make it a drift

}  // namespace

Outcome judge(const EpisodeRecord& record, const Env& env, int goal_cluster, const std::vector<bool>& replanned) {
  if (2 * record.no_routes > record.steps) return Outcome::kNoRoute;
  if (const Maze* maze = maze_of(env); maze != nullptr && !maze->teleport_in.empty()) {
    const Cell at = maze->cell(record.path.back()), goal = maze->cell(record.goal);
    if (maze->free(at) && maze->distances(goal)[at.i * maze->width() + at.j] == -1) return Outcome::kTeleportTrap;
  }
  const size_t n = record.clusters.size(), from = n - std::min(n, kLookBack);
  const int last = record.clusters.back();
  const auto same = std::count(record.clusters.begin() + from, record.clusters.end(), last);
  const bool stays = last >= 0 && static_cast<double>(same) >= 0.9 * static_cast<double>(n - from);
  if (stays) return last == goal_cluster ? Outcome::kNearGoal : Outcome::kStuck;
  if (std::count(replanned.begin() + from, replanned.end(), true) >= kDriftReplans) return Outcome::kDrift;
  return Outcome::kOutOfTime;
}

const char* outcome_name(Outcome outcome) {
  static constexpr const char* kNames[kOutcomes] = {"success",
                                                    "no route",
                                                    "trapped by a teleport",
                                                    "stuck near the goal",
                                                    "stuck in a cluster",
                                                    "drift between clusters",
                                                    "out of time"};
  return kNames[static_cast<int>(outcome)];
}

EvalResult evaluate(const Env& env, const MakePlanner& make_planner, const EvalParams& params,
                    const ProgressFn& progress) {
  std::vector<int> tasks = params.tasks;
  for (int t = 1; t <= env.spec().num_tasks && params.tasks.empty(); ++t) tasks.push_back(t);
  for (const int t : tasks)
    if (t < 1 || t > env.spec().num_tasks)
      throw UsageError("task ", t, " of ", env.spec().name, " does not exist; tasks are 1 to ", env.spec().num_tasks);

  const auto start = std::chrono::steady_clock::now();
  const size_t total = tasks.size() * params.episodes;
  const int workers = worker_count(total, params.threads);
  std::vector<std::unique_ptr<Env>> envs;
  std::vector<std::unique_ptr<Planner>> planners;
  for (int w = 0; w < workers; ++w) {
    envs.push_back(env.clone());
    planners.push_back(make_planner());
  }
  EvalResult result;
  result.episodes.resize(total);
  std::atomic<size_t> done = 0;
  parallel_for_worker(total, workers, [&](size_t i, int worker) {
    // neighbours in the queue are of different tasks, so that long and short episodes mix
    const size_t task = i % tasks.size(), index = i / tasks.size();
    const Rng rng = Rng(params.seed).fork(1000003ull * tasks[task] + index);
    result.episodes[task * params.episodes + index] =
        run_episode(*envs[worker], *planners[worker], tasks[task], static_cast<int>(index), rng, params.watch);
    if (progress) progress(++done, total);
  });
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

size_t EvalResult::count(int task) const {
  return std::ranges::count_if(episodes, [&](const auto& e) { return task == 0 || e.task == task; });
}

size_t EvalResult::successes(int task) const {
  return std::ranges::count_if(episodes, [&](const auto& e) { return (task == 0 || e.task == task) && e.success; });
}

double EvalResult::success(int task) const {
  return static_cast<double>(successes(task)) / static_cast<double>(count(task));
}

std::vector<int> EvalResult::tasks() const {
  std::vector<int> list;
  for (const auto& e : episodes)
    if (list.empty() || list.back() != e.task) list.push_back(e.task);
  return list;
}

double EvalResult::overall_success() const {
  double sum = 0;
  for (const int t : tasks()) sum += success(t);
  return sum / static_cast<double>(tasks().size());
}

double EvalResult::mean_steps() const {
  double sum = 0;
  for (const auto& e : episodes) sum += e.success ? e.steps : 0;
  return successes() ? sum / static_cast<double>(successes()) : 0;
}

double EvalResult::mean_decision_ms() const {
  double sum = 0, count = 0;
  for (const EpisodeRecord& e : episodes) {
    sum = std::accumulate(e.decision_ms.begin(), e.decision_ms.end(), sum);
    count += static_cast<double>(e.decision_ms.size());
  }
  return count > 0 ? sum / count : 0;
}

double EvalResult::decision_ms(double share) const {
  std::vector<float> all;
  for (const EpisodeRecord& e : episodes) all.insert(all.end(), e.decision_ms.begin(), e.decision_ms.end());
  if (all.empty()) return 0;
  const auto at = all.begin() + static_cast<ptrdiff_t>(share * static_cast<double>(all.size() - 1));
  std::nth_element(all.begin(), at, all.end());
  return *at;
}

std::array<size_t, kOutcomes> EvalResult::census() const {
  std::array<size_t, kOutcomes> counts{};
  for (const auto& e : episodes) ++counts[static_cast<size_t>(e.outcome)];
  return counts;
}

}  // namespace alps
