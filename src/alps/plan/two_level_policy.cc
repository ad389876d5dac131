#include "alps/plan/two_level_policy.h"

#include <chrono>
#include <cmath>

#include "alps/base/error.h"

namespace alps {
namespace {

std::vector<float> answer(const Mlp& network, std::vector<float> first, const std::vector<float>& second) {
  first.insert(first.end(), second.begin(), second.end());
  std::vector<float> out(network.outputs());
  network.forward(first, out);
  return out;
}

void set_length(std::vector<float>& x) {
  double square = 0;
  for (const float value : x) square += static_cast<double>(value) * value;
  const double factor = std::sqrt(static_cast<double>(x.size()) / std::max(square, 1e-30));
  for (float& value : x) value = static_cast<float>(value * factor);
}

}  // namespace

TwoLevelPolicy::TwoLevelPolicy(std::shared_ptr<const Bundle> bundle) : bundle_(std::move(bundle)) {
  if (bundle_ == nullptr) throw UsageError("a policy needs the networks of a run; load_bundle(RUN) gives them");
  const size_t states = bundle_->state_size(), goal = bundle_->network("goal").outputs();
  const auto expect = [&](const char* name, size_t inputs, size_t outputs) {
    const Mlp& network = bundle_->network(name);
    if (network.inputs() != inputs || network.outputs() != outputs)
      throw Error("network '", name, "' maps ", network.inputs(), " numbers to ", network.outputs(), ", expected ",
                  inputs, " to ", outputs, "; train the run anew with alps train");
  };
  expect("goal", 2 * states, goal);
  expect("high_actor", 2 * states, goal);
  expect("low_actor", states + goal, bundle_->action_size());
  spec_ = spec_of(*bundle_);
}

void TwoLevelPolicy::reset(Observation goal, Rng) {
  check_observation(spec_, goal);
  goal_ = bundle_->state_of(goal);
}

Decision TwoLevelPolicy::act(Observation observation) {
  if (goal_.empty()) throw UsageError("the policy has no goal yet; call reset with a goal before act");
  check_observation(spec_, observation);
  const auto start = std::chrono::steady_clock::now();
  const std::vector<float> state = bundle_->state_of(observation);
  Decision decision;
  decision.subgoal = answer(bundle_->network("high_actor"), state, goal_);
  set_length(decision.subgoal);
  decision.action = answer(bundle_->network("low_actor"), state, decision.subgoal);
  for (size_t a = 0; a < decision.action.size(); ++a) decision.action[a] = spec_.actions.clamped(a, decision.action[a]);
  decision.total_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return decision;
}

}  // namespace alps
