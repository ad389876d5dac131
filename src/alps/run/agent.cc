#include "alps/run/agent.h"

#include "alps/base/error.h"
#include "alps/base/threads.h"

namespace alps {

Agent::Agent(MakePolicy make_policy, uint64_t seed) : make_policy_(std::move(make_policy)), seed_(seed) {
  policies_.push_back(make_policy_());
}

size_t Agent::count(Observation rows, const char* what) const {
  const size_t size = spec().observation_size();
  const char* unit = spec().image ? "bytes" : "numbers";
  if (rows.image() != spec().image) throw Error(what, " of this run are rows of ", size, " ", unit);
  if (rows.empty() || rows.size() % size != 0)
    throw Error(what, " of this run are rows of ", size, " ", unit, "; ", rows.size(), " ", unit, " are not");
  return rows.size() / size;
}

Observation Agent::row(Observation rows, size_t i) const {
  const size_t size = spec().observation_size();
  if (rows.image()) return rows.bytes().subspan(i * size, size);
  return rows.floats().subspan(i * size, size);
}

void Agent::resize(size_t n) {
  while (policies_.size() < n) policies_.push_back(make_policy_());
  goals_.resize(n);
  episodes_ = n;
}

void Agent::begin(size_t i, Observation goal, std::optional<uint64_t> seed) {
  const Rng rng = seed ? (i == 0 ? Rng(*seed) : Rng(*seed).fork(i)) : Rng(seed_).fork(begun_);
  goals_[i].clear();  // a goal that is refused leaves no episode
  policies_[i]->reset(goal, rng);
  goals_[i] = goal;
  ++begun_;
}

void Agent::reset(Observation goals, std::optional<uint64_t> seed) {
  const size_t n = count(goals, "goals");
  resize(n);
  for (size_t i = 0; i < n; ++i) begin(i, row(goals, i), seed);
}

std::vector<Decision> Agent::plan(Observation observations, Observation goals, std::optional<uint64_t> seed,
                                  int threads) {
  const size_t n = count(observations, "observations");
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
    for (size_t i = 0; i < n; ++i)
      if (const Observation goal = row(goals, i); !(goal == goals_[i].view())) begin(i, goal, seed);
  }
  std::vector<Decision> decisions(n);
  parallel_for(n, threads, [&](size_t i) { decisions[i] = policies_[i]->act(row(observations, i)); });
  return decisions;
}

}  // namespace alps
