#include "alps/plan/rollout.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "alps/base/threads.h"

namespace alps {
namespace {

using Clock = std::chrono::steady_clock;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// all sequences on their way
class Rollouts {
 public:
  Rollouts(const Model& model, std::span<const float> state, std::span<const float> subgoal,
           std::span<const float> actions, const RolloutParams& params, std::span<float> costs,
           std::vector<float>& states)
      : model_(model), subgoal_(subgoal), actions_(actions), params_(params), costs_(costs), states_(states) {
    states_.resize(costs.size() * state.size());
    for (size_t i = 0; i < costs.size(); ++i) std::ranges::copy(state, states_.begin() + i * state.size());
    std::ranges::fill(costs, 0.0f);
  }

  // from step `begin` to before step `end`; those that cost more than `limit` end as infinity
  void advance(std::span<const int> which, size_t begin, size_t end, float limit);

 private:
  void advance_block(std::span<const int> which, size_t begin, size_t end, float limit);

  const Model& model_;
  const std::span<const float> subgoal_, actions_;
  const RolloutParams& params_;
  const std::span<float> costs_;  // so far
  std::vector<float>& states_;
};

void Rollouts::advance(std::span<const int> which, size_t begin, size_t end, float limit) {
  if (which.empty() || begin == end) return;
  // blocks as large as the cache likes, but so many that all threads have the same share
  const bool hurry = params_.deadline != Deadline::max();
  const size_t largest = (hurry ? 2 : 16) * Panels::kTile, workers = std::max(1, params_.threads);
  const size_t blocks = (which.size() + largest * workers - 1) / (largest * workers) * workers;
  const size_t block = (which.size() + blocks * Panels::kTile - 1) / (blocks * Panels::kTile) * Panels::kTile;
  parallel_blocks(which.size(), block, params_.threads, [&](size_t first, size_t last) {
    const auto own = which.subspan(first, last - first);
    if (!hurry) return advance_block(own, begin, end, limit);
    const auto start = Clock::now();
    const auto needed = params_.block_time ? params_.block_time->load() : std::chrono::nanoseconds(0);
    if (start + needed > params_.deadline) {
      for (const int i : own) costs_[i] = std::nanf("");
      return;
    }
    advance_block(own, begin, end, limit);
    // a tenth more than the last one, or than usual
    const auto taken = (Clock::now() - start) * 11 / 10;
    if (params_.block_time) *params_.block_time = std::max<std::chrono::nanoseconds>(taken, needed * 9 / 10);
  });
}

void Rollouts::advance_block(std::span<const int> which, size_t begin, size_t end, float limit) {
  const size_t s = model_.state_size(), a = model_.action_size(), z = subgoal_.size();
  thread_local std::vector<int> own_going;
  thread_local std::vector<float> own_states, own_actions, own_psi;
  std::vector<int>& going = own_going;  // looked up once
  std::vector<float>&states = own_states, &actions = own_actions, &psi = own_psi;
  going.assign(which.begin(), which.end());
  states.resize(going.size() * s);
  for (size_t i = 0; i < going.size(); ++i) std::copy_n(&states_[going[i] * s], s, &states[i * s]);
  for (size_t t = begin; t < end && !going.empty(); ++t) {
    actions.resize(going.size() * a);
    psi.resize(going.size() * z);
    for (size_t i = 0; i < going.size(); ++i)
      std::copy_n(&actions_[(going[i] * params_.horizon + t) * a], a, &actions[i * a]);
    model_.step(states, actions, states, 1, params_.precision);
    model_.psi(states, psi, 1, params_.precision);
    size_t kept = 0;
    for (size_t i = 0; i < going.size(); ++i) {
      float& cost = costs_[going[i]];
      double effort = 0;
      for (size_t k = 0; k < a; ++k) effort += actions[i * a + k] * actions[i * a + k];
      cost +=
          static_cast<float>(squared_distance(std::span(psi).subspan(i * z, z), subgoal_) + params_.penalty * effort);
      if (!(cost <= limit)) {  // nor does what is not a number come back
        cost = kInfinity;
        continue;
      }
      if (kept < i) std::copy_n(&states[i * s], s, &states[kept * s]);
      going[kept++] = going[i];
    }
    going.resize(kept);
    states.resize(kept * s);
  }
  for (size_t i = 0; i < going.size(); ++i) std::copy_n(&states[i * s], s, &states_[going[i] * s]);
}

}  // namespace

double squared_distance(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (static_cast<double>(a[i]) - b[i]) * (static_cast<double>(a[i]) - b[i]);
  return sum;
}

void rollout_costs(const Model& model, std::span<const float> state, std::span<const float> subgoal,
                   std::span<const float> actions, const RolloutParams& params, const Needed& needed,
                   std::span<float> costs) {
  // memory that the thread keeps: a search comes here a few times at every decision
  thread_local std::vector<float> own_states, own_done;
  thread_local std::vector<int> own_which;
  std::vector<float>& done = own_done;
  std::vector<int>& which = own_which;
  Rollouts rollouts(model, state, subgoal, actions, params, costs, own_states);
  which.resize(costs.size());
  std::iota(which.begin(), which.end(), 0);
  // with a deadline, whole sequences count
  const bool all = needed.best >= costs.size() || params.deadline != Deadline::max();
  if (all) return rollouts.advance(which, 0, params.horizon, needed.limit);

  const size_t half = params.horizon / 2;
  rollouts.advance(which, 0, half, needed.limit);
  std::ranges::sort(which, {}, [&](int a) { return std::pair(costs[a], a); });
  while (!which.empty() && costs[which.back()] == kInfinity) which.pop_back();
  // the first go on in whole tiles
  const size_t tiles = (needed.best + Panels::kTile - 1) / Panels::kTile;
  const size_t count = std::min(which.size(), tiles * Panels::kTile);
  const auto first = std::span(which).first(count);
  rollouts.advance(first, half, params.horizon, needed.limit);
  float limit = needed.limit;
  if (count >= needed.best) {
    done.clear();
    for (const int i : first) done.push_back(costs[i]);
    std::nth_element(done.begin(), done.begin() + (needed.best - 1), done.end());
    limit = std::min(limit, done[needed.best - 1]);
  }
  rollouts.advance(std::span(which).subspan(count), half, params.horizon, limit);
}

std::vector<float> imagine(const Model& model, std::span<const float> state, std::span<const float> actions,
                           size_t horizon, Precision precision) {
  const size_t a = model.action_size(), s = state.size(), count = actions.size() / (horizon * a);
  std::vector<float> states(count * (horizon + 1) * s), at(count * s), step(count * a);
  for (size_t t = 0; t <= horizon; ++t) {
    for (size_t i = 0; i < count; ++i) {
      if (t == 0) std::copy(state.begin(), state.end(), &at[i * s]);
      std::copy_n(&at[i * s], s, &states[(i * (horizon + 1) + t) * s]);
      if (t < horizon) std::copy_n(&actions[(i * horizon + t) * a], a, &step[i * a]);
    }
    if (t < horizon) model.step(at, step, at, 1, precision);
  }
  return states;
}

}  // namespace alps
