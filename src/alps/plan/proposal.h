// Where the search starts (paper, algorithm 2, line 1): the behaviour prior, rolled out through the forward model,
// gives the first mean. Additions to the paper: with `keep_plan`, the last plan moved on by one step is taken where eq.
// 4 finds it cheaper, because the prior imitates behaviour that was in no hurry; without a prior, `warm_start` takes
// the last plan instead of zero. Actions are in units of the action limit.
#pragma once

#include <span>
#include <vector>

#include "alps/nn/model.h"
#include "alps/plan/planner_settings.h"
#include "alps/plan/rollout.h"

namespace alps {

struct Proposal {
  std::vector<float> plan;  // (horizon, action_size)
  bool kept_plan = false;   // it is the last plan, moved on
};

class Proposer {
 public:
  Proposer(const Model& model, const PlannerSettings& settings, const Variant& variant);

  void reset();  // a new episode: there is no last plan
  // `rollout` says how eq. 4 compares two plans
  Proposal propose(const Model& model, std::span<const float> state, std::span<const float> subgoal,
                   const RolloutParams& rollout) const;
  void acted_on(std::span<const float> plan);  // the next proposal may go on with its rest

 private:
  std::vector<float> prior_plan(const Model& model, std::span<const float> state, std::span<const float> subgoal,
                                Precision precision) const;

  Variant variant_;
  bool keep_plan_, warm_start_;
  double far_;
  size_t horizon_, action_size_;
  std::vector<float> last_plan_;  // moved on by one step, zeros at its end
};

// What the prior is shown for a subgoal: itself, or, where it is further than `most` from psi, the point on the
// straight line towards it at the distance `way`. most = 0: always itself.
std::vector<float> within_reach(std::span<const float> psi, std::span<const float> subgoal, double way, double most);

}  // namespace alps
