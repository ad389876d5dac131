#include "alps/plan/proposal.h"

#include <algorithm>
#include <array>
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

void Proposer::propose(const Model& model, std::span<const float> state, std::span<const float> subgoal,
                       const RolloutParams& rollout, bool searches, Proposal& proposal) {
  proposal.kept_plan = !variant_.prior && warm_start_;
  if (!variant_.prior) {
    proposal.plan = last_plan_;
    if (!warm_start_) std::ranges::fill(proposal.plan, 0.0f);
    return;
  }
  prior_plan(model, state, subgoal, searches ? horizon_ : 1, rollout.precision, proposal.plan);
  if (!searches || !keep_plan_) return;

  // the cheaper one of the prior's plan and the last
  both_ = proposal.plan;
  both_.insert(both_.end(), last_plan_.begin(), last_plan_.end());
  std::array<float, 2> costs{};
  rollout_costs(model, state, subgoal, both_, rollout, {}, costs);
  proposal.kept_plan = costs[1] < costs[0];
  if (proposal.kept_plan) proposal.plan = last_plan_;
}

void Proposer::acted_on(std::span<const float> plan) {
  last_plan_.assign(plan.begin() + action_size_, plan.end());
  last_plan_.resize(plan.size(), 0.0f);
}

// the prior, rolled out through the forward model; zeros after `steps` actions
void Proposer::prior_plan(const Model& model, std::span<const float> state, std::span<const float> subgoal,
                          size_t steps, Precision precision, std::vector<float>& plan) {
  plan.assign(horizon_ * action_size_, 0.0f);
  at_.assign(state.begin(), state.end());
  psi_.resize(model.eigenvectors());
  for (size_t t = 0; t < steps; ++t) {
    const std::span<float> action = std::span(plan).subspan(t * action_size_, action_size_);
    // in fp32: the prior reads small differences of psi, and would amplify what rounding makes of them
    model.psi(at_, psi_);
    within_reach(psi_, subgoal, model.prior_way, far_ * model.prior_way, shown_);
    model.act(at_, psi_, shown_, action);
    for (float& a : action) a = std::clamp(a, -1.0f, 1.0f);
    if (t + 1 < steps) model.step(at_, action, at_, 1, precision);
  }
}

void within_reach(std::span<const float> psi, std::span<const float> subgoal, double way, double most,
                  std::vector<float>& shown) {
  shown.assign(subgoal.begin(), subgoal.end());
  const double distance = std::sqrt(squared_distance(psi, subgoal));
  if (most <= 0 || distance <= most) return;
  const auto part = static_cast<float>(way / distance);
  for (size_t i = 0; i < shown.size(); ++i) shown[i] = psi[i] + part * (subgoal[i] - psi[i]);
}

}  // namespace alps
