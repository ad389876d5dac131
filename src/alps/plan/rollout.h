// Action sequences rolled out through the forward model, and what they cost (paper, eq. 4):
//   J = sum_t |psi(s_t) - z_sub|^2 + penalty |a_t|^2
// The terms are not negative, so a sequence whose sum has passed that of enough finished ones is given up: it can
// not be among the cheapest. First all go half the way, then those that were cheapest so far go on to the end,
// and what they cost is the limit for the others. The elites of a search, and so its plan, stay the same to the last
// bit.
#pragma once

#include <atomic>
#include <chrono>
#include <limits>
#include <span>
#include <vector>

#include "alps/nn/model.h"

namespace alps {

using Deadline = std::chrono::steady_clock::time_point;  // max(): none

struct RolloutParams {
  size_t horizon = 1;
  double penalty = 0;
  int threads = 1;  // costs do not depend on it
  Precision precision = Precision::kFp32;
  Deadline deadline = Deadline::max();  // sequences there was no time for cost NaN
  // what a block of sequences takes, as far as is known; the caller keeps it from decision to decision, so that
  // deadlines hold
  std::atomic<std::chrono::nanoseconds>* block_time = nullptr;
};

// which costs must be right: those of the `best` cheapest sequences, as far as they are below `limit`; others may be
// given as infinity
struct Needed {
  size_t best = std::numeric_limits<size_t>::max();
  float limit = std::numeric_limits<float>::infinity();
};

// actions (count, horizon, action) from one normalized state -> costs (count)
void rollout_costs(const Model& model, std::span<const float> state, std::span<const float> subgoal,
                   std::span<const float> actions, const RolloutParams& params, const Needed& needed,
                   std::span<float> costs);

// actions (count, horizon, action) from one normalized state -> states (count, horizon + 1, state_size), that one first
std::vector<float> imagine(const Model& model, std::span<const float> state, std::span<const float> actions,
                           size_t horizon, Precision precision = Precision::kFp32);

double squared_distance(std::span<const float> a, std::span<const float> b);

}  // namespace alps
