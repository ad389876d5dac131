// Where the search starts (paper, algorithm 2, line 1): the behaviour prior, rolled out through the forward model,
// gives the first mean. Additions to the paper: with `keep_plan`, the rest of the last plan is taken where it costs
// less (eq. 4) than the prior's, because the data that the prior imitates may take detours; without a prior,
// `warm_start` takes the rest of the last plan instead of zero. Actions are in units of the action limit.
#pragma once

#include <span>
#include <vector>

#include "alps/nn/model.h"
#include "alps/plan/planner_settings.h"
#include "alps/plan/rollout.h"

namespace alps {

struct Proposal {
  std::vector<float> plan;  // (horizon, action_size)
  bool kept_plan = false;   // the plan is the rest of the last one
};

class Proposer {
 public:
  Proposer(const Model& model, const PlannerSettings& settings, const Variant& variant);

  void reset();  // a new episode: there is no last plan
  // A whole sequence where a search starts from it, otherwise one action; `rollout` says how eq. 4 compares two plans.
  void propose(const Model& model, std::span<const float> state, std::span<const float> subgoal,
               const RolloutParams& rollout, bool searches, Proposal& proposal);
  void acted_on(std::span<const float> plan);  // the next proposal may go on with its rest

 private:
  void prior_plan(const Model& model, std::span<const float> state, std::span<const float> subgoal, size_t steps,
                  Precision precision, std::vector<float>& plan);

  Variant variant_;
  bool keep_plan_, warm_start_;
  double far_;
  size_t horizon_, action_size_;
  std::vector<float> last_plan_;                // moved on by one step, zeros at its end
  std::vector<float> at_, psi_, shown_, both_;  // on the way through prior_plan and propose
};

// The subgoal that the prior is given: the subgoal itself or, where that lies further than `most` from psi, the point
// at distance `way` on the straight line from psi to the subgoal. most = 0: always the subgoal itself.
void within_reach(std::span<const float> psi, std::span<const float> subgoal, double way, double most,
                  std::vector<float>& shown);

}  // namespace alps
