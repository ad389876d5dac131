#include "alps/plan/proposal.h"

#include <algorithm>
#include <cmath>

namespace alps {

Proposer::Proposer(const Model& model, const PlannerSettings& settings, const Variant& variant)
    : variant_(variant),
      keep_plan_(settings.keep_plan),
      warm_start_(settings.warm_start),
      far_(variant.route ? 0 : settings.far),  // along a route the next subgoal is near
      horizon_(settings.horizon),
      action_size_(model.action_size()) {
  reset();
}

void Proposer::reset() { last_plan_.assign(horizon_ * action_size_, 0.0f); }

Proposal Proposer::propose(const Model& model, std::span<const float> state, std::span<const float> subgoal,
                           const RolloutParams& rollout, bool searches) const {
  if (!variant_.prior) return {warm_start_ ? last_plan_ : std::vector<float>(last_plan_.size()), warm_start_};
  Proposal proposal{.plan = prior_plan(model, state, subgoal, searches ? horizon_ : 1, rollout.precision)};
  if (!searches || !keep_plan_) return proposal;

  // the cheaper one of the prior's plan and the last
  std::vector<float> both = proposal.plan, costs(2);
  both.insert(both.end(), last_plan_.begin(), last_plan_.end());
  rollout_costs(model, state, subgoal, both, rollout, {}, costs);
  proposal.kept_plan = costs[1] < costs[0];
  if (proposal.kept_plan) proposal.plan = last_plan_;
  return proposal;
}

void Proposer::acted_on(std::span<const float> plan) {
  last_plan_.assign(plan.begin() + action_size_, plan.end());
  last_plan_.resize(plan.size(), 0.0f);
}

// the prior, rolled out through the forward model; zeros after `steps` actions
std::vector<float> Proposer::prior_plan(const Model& model, std::span<const float> state,
                                        std::span<const float> subgoal, size_t steps, Precision precision) const {
  std::vector<float> plan(horizon_ * action_size_), at(state.begin(), state.end()), psi(model.eigenvectors());
  for (size_t t = 0; t < steps; ++t) {
    const std::span<float> action = std::span(plan).subspan(t * action_size_, action_size_);
    // in fp32: the prior reads small differences of psi, and would amplify what rounding makes of them
    model.psi(at, psi);
    model.act(at, psi, within_reach(psi, subgoal, model.prior_way, far_ * model.prior_way), action);
    for (float& a : action) a = std::clamp(a, -1.0f, 1.0f);
    if (t + 1 < steps) model.step(at, action, at, 1, precision);
  }
  return plan;
}

std::vector<float> within_reach(std::span<const float> psi, std::span<const float> subgoal, double way, double most) {
  std::vector<float> shown(subgoal.begin(), subgoal.end());
  const double distance = std::sqrt(squared_distance(psi, subgoal));
  if (most <= 0 || distance <= most) return shown;
  const auto part = static_cast<float>(way / distance);
  for (size_t i = 0; i < shown.size(); ++i) shown[i] = psi[i] + part * (subgoal[i] - psi[i]);
  return shown;
}

}  // namespace alps
