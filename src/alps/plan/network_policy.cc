#include "alps/plan/network_policy.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "alps/base/error.h"

namespace alps {

NetworkPolicy::NetworkPolicy(std::shared_ptr<const Bundle> bundle) : bundle_(std::move(bundle)) {
  if (bundle_ == nullptr) throw UsageError("a policy needs the networks of a run; load_bundle(RUN) gives them");
  spec_ = spec_of(*bundle_);
}

void NetworkPolicy::expect(const std::string& network, size_t inputs, size_t outputs) const {
  const Mlp& found = bundle_->network(network);
  if (found.inputs() != inputs || found.outputs() != outputs)
    throw Error("network '", network, "' maps ", found.inputs(), " numbers to ", found.outputs(), ", expected ", inputs,
                " to ", outputs, "; train the run anew with alps train");
}

std::vector<float> NetworkPolicy::answer(const std::string& network, std::vector<float> first,
                                         std::span<const float> second) const {
  first.insert(first.end(), second.begin(), second.end());
  const Mlp& asked = bundle_->network(network);
  std::vector<float> out(asked.outputs());
  asked.forward(first, out);
  return out;
}

void NetworkPolicy::reset(Observation goal, Rng) {
  check_observation(spec_, goal);
  goal_ = bundle_->state_of(goal);
  begin();
}

Decision NetworkPolicy::act(Observation observation) {
  if (goal_.empty()) throw UsageError("the policy has no goal yet; call reset with a goal before act");
  check_observation(spec_, observation);
  const auto start = std::chrono::steady_clock::now();
  Decision decision;
  decide(bundle_->state_of(observation), decision);
  for (size_t a = 0; a < decision.action.size(); ++a) decision.action[a] = spec_.actions.clamped(a, decision.action[a]);
  decision.total_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return decision;
}

void set_root_length(std::span<float> x) {
  double square = 0;
  for (const float value : x) square += static_cast<double>(value) * value;
  const double factor = std::sqrt(static_cast<double>(x.size()) / std::max(square, 1e-30));
  for (float& value : x) value = static_cast<float>(value * factor);
}

}  // namespace alps
