#include "alps/plan/direction_policy.h"

#include <cmath>

#include "alps/base/error.h"
#include "alps/plan/rollout.h"

namespace alps {
namespace {

double distance(std::span<const float> a, std::span<const float> b) { return std::sqrt(squared_distance(a, b)); }

}  // namespace

DirectionPolicy::DirectionPolicy(std::shared_ptr<const Bundle> bundle, std::shared_ptr<const WaypointGraph> graph)
    : NetworkPolicy(std::move(bundle)), graph_(std::move(graph)) {
  const size_t states = this->bundle().state_size(), latent = this->bundle().network("phi").outputs();
  expect("phi", states, latent);
  expect("actor", states + latent, this->bundle().action_size());
  if (graph_ && graph_->dim != latent)
    throw Error("the waypoints have ", graph_->dim, " numbers, but phi has ", latent,
                "; train the run anew with alps train");
}

void DirectionPolicy::begin() {
  there_ = answer("phi", goal());
  way_.clear();
  goal_next_ = false;
  if (graph_) ways_ = std::make_shared<const WaysTo>(*graph_, there_);
}

std::span<const float> DirectionPolicy::next(std::span<const float> here) {
  if (!graph_ || goal_next_) return there_;
  // from where no waypoint is within reach, the way of before still holds
  if (const auto start = ways_->begin(*graph_, here, way_.empty())) way_ = ways_->way(*start);
  goal_next_ = way_.size() <= 1;
  if (goal_next_ || distance(there_, here) <= graph_->reach) return there_;
  for (size_t i = way_.size(); i-- > 1;)
    if (distance(graph_->node(way_[i]), here) <= graph_->reach) return graph_->node(way_[i]);
  return graph_->node(way_[0]);
}

void DirectionPolicy::decide(const std::vector<float>& state, Decision& decision) {
  decision.psi = answer("phi", state);
  const std::span<const float> aim = next(decision.psi);
  decision.subgoal.assign(aim.begin(), aim.end());
  decision.subgoal_distance = distance(decision.psi, aim);
  decision.goal_distance = distance(decision.psi, there_);
  std::vector<float> direction(aim.begin(), aim.end());
  for (size_t k = 0; k < direction.size(); ++k)
    direction[k] = static_cast<float>((aim[k] - decision.psi[k]) / (decision.subgoal_distance + 1e-10));
  decision.action = answer("actor", state, direction);
}

}  // namespace alps
