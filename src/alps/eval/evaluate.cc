#include "alps/eval/evaluate.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>

#include "alps/base/error.h"
#include "alps/base/threads.h"

namespace alps {
namespace {

// before the first step, so that nobody acts on numbers that mean something else
void check_match(const EnvSpec& env, const PolicySpec& policy) {
  if (policy.image != env.image || policy.observation_size() != env.observation_size())
    throw Error(env.name, " shows observations ", shape_text(env.observation_shape), env.image ? " of bytes" : "",
                ", but the run was trained on ", shape_text(policy.observation_shape), policy.image ? " of bytes" : "",
                "; evaluate it in the environment that its data come from");
  if (policy.action_size() != static_cast<size_t>(env.action_size))
    throw Error(env.name, " takes actions of ", env.action_size, " numbers, but the run decides on ",
                policy.action_size(), "; evaluate it in the environment that its data come from");
}

}  // namespace

EvalResult evaluate(const Env& env, const MakePolicy& make_policy, const EvalParams& params,
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
  std::vector<std::unique_ptr<Policy>> policies;
  for (int w = 0; w < workers; ++w) {
    envs.push_back(env.clone());
    policies.push_back(make_policy());
  }
  if (!policies.empty()) check_match(env.spec(), policies[0]->spec());
  EvalResult result;
  result.episodes.resize(total);
  std::atomic<size_t> done = 0;
  parallel_for_worker(total, workers, [&](size_t i, int worker) {
    // neighbours in the queue are of different tasks, so that long and short episodes mix
    const size_t task = i % tasks.size(), index = i / tasks.size();
    EpisodeRecord& record = result.episodes[task * params.episodes + index];
    const EpisodeRecord* kept = params.kept ? params.kept->find(tasks[task], static_cast<int>(index)) : nullptr;
    if (kept) {
      record = *kept;
    } else {
      const Rng rng = Rng(params.seed).fork(1000003ull * tasks[task] + index);
      record = run_episode(*envs[worker], *policies[worker], tasks[task], static_cast<int>(index), rng, params.watch);
      if (params.kept) params.kept->add(record);
    }
    if (progress) progress(++done, total);
  });
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (params.kept) result.seconds += params.kept->seconds();
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
