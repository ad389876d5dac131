// The cross-entropy method over action sequences (paper, alg:cem-planner). Each iteration samples sequences around a
// mean, with noise that is correlated in time, takes the cheapest as elites, and moves mean and deviation towards the
// elites. This file knows neither networks nor environments: a callback turns action sequences into costs. Actions are
// in units of the action limit and stay in [-1, 1].
#pragma once

#include <span>
#include <vector>

#include "alps/base/function_ref.h"
#include "alps/base/rng.h"
#include "alps/plan/rollout.h"

namespace alps {

struct CemParams {
  int samples = 500;          // N_s, action sequences drawn in each iteration
  int horizon = 20;           // H, actions in a sequence
  int iterations = 5;         // N_iter
  double elite_ratio = 0.15;  // N_e, share of the samples that are elites
  double sigma = 0.5;         // standard deviation of the noise in the first iteration
  double sigma_floor = 0.05;  // least deviation in later ones, as a share of sigma
  double noise_beta = 0.9;    // correlation of the noise of two successive actions
  double momentum = 0.3;      // eta, share of the old mean in the new one
  bool keep_elites = false;   // the elites of an iteration compete with the next samples; their costs are known
  int shown = 0;              // candidates of each iteration that the result keeps; the plan stays the same
};

// candidates of one iteration, for pictures
struct CemShown {
  size_t elites = 0;           // the first `elites` candidates are elites, ordered by cost
  std::vector<float> actions;  // (candidates, horizon, action_size)
  std::vector<float> costs;    // (candidates); infinity where the rollout was given up
};

struct CemResult {
  std::vector<float> plan;         // (horizon, action_size): the first mean, in the end the last
  std::vector<float> best_costs;   // cheapest sequence of each iteration
  std::vector<float> elite_costs;  // mean cost of the elites of each iteration
  int iterations = 0;              // completed before the deadline
  std::vector<CemShown> shown;     // (iterations), or empty
};

// actions (count, horizon, action_size) -> costs (count), as far as `needed` asks; NaN for sequences not reached in
// time
using CemCost = FunctionRef<void(std::span<const float> actions, const Needed& needed, std::span<float> costs)>;

// The mean itself is always among the samples. Ends after the iteration in which `deadline` passes; its elites are
// chosen among the candidates whose cost was found. Samples are drawn by `threads`, the same ones whatever their
// number. Memory of `result` and of the thread is used again: calls of the same sizes allocate nothing, unless
// candidates are to be shown.
void cem(const CemParams& params, size_t action_size, CemCost cost, Rng& rng, CemResult& result,
         Deadline deadline = Deadline::max(), int threads = 1);

}  // namespace alps
