// The high level of the planner (paper, algorithm 1): which region comes next on the way to the goal. Dijkstra's
// algorithm gives a route over the cluster graph. When the state leaves the route, a new one is found; when it enters
// the target region, the next region becomes the target; the last target is the goal itself. Two additions to the
// paper: `fall_back` moves the target back when the agent has fallen behind on the route, and `patience` closes a
// passage that the agent fails to get through. `doubt` says when a search that leads nowhere should rest. 0 turns them
// off.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "alps/graph/cluster_graph.h"
#include "alps/plan/decision.h"
#include "alps/plan/planner_settings.h"

namespace alps {

class RouteFollower {
 public:
  RouteFollower(std::shared_ptr<const ClusterGraph> graph, const PlannerSettings& settings);

  void reset(std::span<const float> goal_psi);  // a new episode
  // Fills in the high-level half of a decision whose psi is known: cluster, route, target, subgoal and its distance.
  void follow(Decision& decision);

  int idle() const { return idle_; }  // decisions without progress, this one included
  // The search has led nowhere for `doubt` decisions: the prior should act alone for a while. A model that is wrong
  // about a wall leads the search into it; the prior knows how others went on.
  bool in_doubt() const { return rest_ > 0; }
  const ClusterGraph& graph() const { return *graph_; }

 private:
  void plan_route(int from);
  void choose_target(Decision& decision);
  bool stalled(const Decision& decision);
  void judge_search(bool progress);
  void close_passage(Decision& decision);
  void forget_progress();

  std::shared_ptr<const ClusterGraph> graph_;
  std::shared_ptr<const Router> router_;
  int fall_back_, patience_, doubt_;
  double edge_;  // usual length of a passage

  std::vector<float> goal_psi_;
  int goal_cluster_ = -1;
  Route found_;
  std::vector<int> route_;  // clusters of the current high-level plan
  size_t next_ = 0;         // index of the target in it
  int behind_ = 0;          // decisions in a row in a region of the route that is not the one before the target
  double top_p_ = 0;

  // progress: the shortest remaining length of the route so far, decisions since then, and the passage last crossed
  // since
  double least_left_ = 0;
  int idle_ = 0;
  int last_cluster_ = -1;
  std::optional<std::pair<int, int>> crossed_;
  Passages closed_;  // in this episode

  int tried_ = 0;  // decisions without progress since the search leads
  int rest_ = 0;   // decisions for which it still rests
};

}  // namespace alps
