// Action sequences rolled out through the forward model, and what they cost (paper, eq. 4):
//   J = sum_t |psi(s_t) - z_sub|^2 + penalty |a_t|^2
// A search needs exact costs of its elites only, so hopeless sequences are given up early. All sequences are rolled out
// over half of the horizon, then the cheapest of them to the end. Their cost is the limit: as no term is negative, a
// sequence whose sum passes the limit cannot become an elite, and is given up. The elites, and with them the plan, are
// the same to the last bit as without this.
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
  Deadline deadline = Deadline::max();  // sequences that are not reached in time cost NaN
  // Estimated time of one block of sequences: a block that would end after the deadline is not begun. Updated here; the
  // caller keeps it from one decision to the next.
  std::atomic<std::chrono::nanoseconds>* block_time = nullptr;
};

// Which costs must be exact: those of the `best` cheapest sequences, if they are below `limit`. Others may be returned
// as infinity.
struct Needed {
  size_t best = std::numeric_limits<size_t>::max();
  float limit = std::numeric_limits<float>::infinity();
};

// actions (count, horizon, action) from one normalized state -> costs (count)
void rollout_costs(const Model& model, std::span<const float> state, std::span<const float> subgoal,
                   std::span<const float> actions, const RolloutParams& params, const Needed& needed,
                   std::span<float> costs);

// actions (count, horizon, action) from one normalized state -> states (count, horizon + 1, state_size), the given one
// first
std::vector<float> imagine(const Model& model, std::span<const float> state, std::span<const float> actions,
                           size_t horizon, Precision precision = Precision::kFp32);

double squared_distance(std::span<const float> a, std::span<const float> b);

}  // namespace alps
