#include "alps/plan/actor_policy.h"

#include <chrono>

#include "alps/base/error.h"

namespace alps {

ActorPolicy::ActorPolicy(std::shared_ptr<const Bundle> bundle) : bundle_(std::move(bundle)) {
  if (bundle_ == nullptr)
    throw UsageError("an actor's policy needs the networks of a run; load_bundle(RUN) gives them");
  const Mlp& actor = bundle_->network("actor");
  spec_ = spec_of(*bundle_);
  if (actor.inputs() != 2 * bundle_->state_size() || actor.outputs() != bundle_->action_size())
    throw Error("network 'actor' maps ", actor.inputs(), " numbers to ", actor.outputs(), ", expected ",
                2 * bundle_->state_size(), " to ", bundle_->action_size(), "; train the run anew with alps train");
}

void ActorPolicy::reset(Observation goal, Rng) {
  check_observation(spec_, goal);
  goal_ = bundle_->state_of(goal);
}

Decision ActorPolicy::act(Observation observation) {
  if (goal_.empty()) throw UsageError("the policy has no goal yet; call reset with a goal before act");
  const auto start = std::chrono::steady_clock::now();
  check_observation(spec_, observation);
  std::vector<float> in = bundle_->state_of(observation);
  in.insert(in.end(), goal_.begin(), goal_.end());
  Decision decision;
  decision.action.resize(spec_.action_size());
  bundle_->network("actor").forward(in, decision.action);
  for (size_t a = 0; a < decision.action.size(); ++a) decision.action[a] = spec_.actions.clamped(a, decision.action[a]);
  decision.total_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return decision;
}

}  // namespace alps
