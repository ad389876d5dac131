#include "alps/run/agent.h"

#include <algorithm>

#include "alps/base/threads.h"

namespace alps {

Agent::Agent(Run run, PlannerConfig config, uint64_t seed)
    : run_(std::move(run)), config_(std::move(config)), seed_(seed) {
  planners_.emplace_back(run_.model, run_.graph, config_);  // tells at once what is missing
}

size_t Agent::count(std::span<const float> rows, const char* what) const {
  const size_t size = run_.model->observation_size();
  if (rows.empty() || rows.size() % size != 0)
    throw Error(what, " of this run are rows of ", size, " numbers; ", rows.size(), " numbers are not");
  return rows.size() / size;
}

void Agent::resize(size_t n) {
  while (planners_.size() < n) planners_.emplace_back(run_.model, run_.graph, config_);
  goals_.resize(n);
  episodes_ = n;
}

void Agent::begin(size_t i, std::span<const float> goal, std::optional<uint64_t> seed) {
  const Rng rng = seed ? (i == 0 ? Rng(*seed) : Rng(*seed).fork(i)) : Rng(seed_).fork(begun_);
  goals_[i].clear();  // a goal that is refused leaves no episode
  planners_[i].reset(goal, rng);
  goals_[i].assign(goal.begin(), goal.end());
  ++begun_;
}

void Agent::reset(std::span<const float> goals, std::optional<uint64_t> seed) {
  const size_t n = count(goals, "goals"), size = goals.size() / n;
  resize(n);
  for (size_t i = 0; i < n; ++i) begin(i, goals.subspan(i * size, size), seed);
}

std::vector<Decision> Agent::plan(std::span<const float> observations, std::span<const float> goals,
                                  std::optional<uint64_t> seed, int threads) {
  const size_t n = count(observations, "observations"), size = observations.size() / n;
  if (goals.empty()) {
    if (episodes_ == 0)
      throw UsageError("the agent has no goal yet; call reset with a goal, or give one with the observation");
    if (n != episodes_)
      throw UsageError(n, " observations for ", episodes_,
                       " episodes; reset with as many goals as there are observations");
  } else {
    const size_t m = count(goals, "goals");
    if (m != n) throw UsageError(n, " observations but ", m, " goals; give one goal for each observation");
    if (n != episodes_) {
      goals_.clear();
      resize(n);
    }
    // another goal begins another episode
    for (size_t i = 0; i < n; ++i) {
      const std::span<const float> goal = goals.subspan(i * size, size);
      if (!std::ranges::equal(goal, goals_[i])) begin(i, goal, seed);
    }
  }
  std::vector<Decision> decisions(n);
  parallel_for(n, threads, [&](size_t i) { decisions[i] = planners_[i].act(observations.subspan(i * size, size)); });
  return decisions;
}

}  // namespace alps
