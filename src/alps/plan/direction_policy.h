// The policy of a learned distance (learn/distance.h): network "phi" maps states to a space in which distance is time,
// and "actor" maps a state and a direction in it to an action (learn/direction.h). Without waypoints the direction is
// that of the goal (hilp). With waypoints (graph/waypoint_graph.h, gas) it is that of the furthest point within reach
// of the shortest way to the goal; once the goal is next, it stays the goal. A decision holds phi of the state and of
// what it aims at (`psi`, `subgoal`) and how far away that and the goal are.
#pragma once

#include "alps/graph/waypoint_graph.h"
#include "alps/plan/network_policy.h"

namespace alps {

class DirectionPolicy : public NetworkPolicy {
 public:
  // Error where networks are missing or do not fit each other or the waypoints
  explicit DirectionPolicy(std::shared_ptr<const Bundle> bundle, std::shared_ptr<const WaypointGraph> graph = nullptr);
  std::unique_ptr<Policy> clone() const override { return std::make_unique<DirectionPolicy>(*this); }

 private:
  void begin() override;
  void decide(const std::vector<float>& state, Decision& decision) override;
  std::span<const float> next(std::span<const float> here);  // what to aim at

  std::shared_ptr<const WaypointGraph> graph_;  // null: straight for the goal
  std::vector<float> there_;                    // phi of the goal
  std::shared_ptr<const WaysTo> ways_;
  std::vector<int> way_;  // waypoints on the way, the first within reach when it was found
  bool goal_next_ = false;
};

}  // namespace alps
