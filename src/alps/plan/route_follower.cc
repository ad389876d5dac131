#include "alps/plan/route_follower.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "alps/plan/rollout.h"

namespace alps {
namespace {

constexpr double kProgress = 0.01;    // of the way that is left
constexpr double kFarProgress = 0.1;  // of a passage; enough where the way is long
constexpr int kRest = 4;              // the search rests for so many times `doubt`

// median over the passages of the data; infinite where there is none
double usual_length(const ClusterGraph& graph) {
  std::vector<double> lengths;
  const size_t n = graph.clusters();
  for (size_t a = 0; a < n; ++a)
    for (size_t b = a + 1; b < n; ++b)
      if (graph.passages[a * n + b] + graph.passages[b * n + a] > 0) lengths.push_back(graph.length(a, b));
  if (lengths.empty()) return std::numeric_limits<double>::infinity();
  const auto middle = lengths.begin() + static_cast<ptrdiff_t>(lengths.size() / 2);
  std::ranges::nth_element(lengths, middle);
  return *middle;
}

}  // namespace

RouteFollower::RouteFollower(std::shared_ptr<const ClusterGraph> graph, const PlannerSettings& settings)
    : graph_(std::move(graph)),
      router_(std::make_shared<Router>(*graph_, RouterParams{.top_p = settings.top_p,
                                                             .relax = settings.relax_top_p,
                                                             .avoid_traps = settings.avoid_traps,
                                                             .avoid_doors = settings.avoid_doors,
                                                             .one_way = settings.one_way})),
      fall_back_(settings.fall_back),
      patience_(settings.patience),
      doubt_(settings.doubt),
      edge_(usual_length(*graph_)) {}

void RouteFollower::reset(std::span<const float> goal_psi) {
  goal_psi_.assign(goal_psi.begin(), goal_psi.end());
  goal_cluster_ = graph_->nearest(goal_psi_);
  route_.clear();
  route_.reserve(graph_->clusters());
  closed_.clear();
  last_cluster_ = -1;
  tried_ = rest_ = 0;
  forget_progress();
}

void RouteFollower::follow(Decision& decision) {
  choose_target(decision);
  if (!stalled(decision)) return;
  close_passage(decision);
  choose_target(decision);
  decision.detour = true;
}

// Dijkstra from here to the goal
void RouteFollower::plan_route(int from) {
  router_->route(from, goal_cluster_, closed_, found_);
  if (found_.clusters.empty() && !closed_.empty()) {
    // there is no other way: try the closed passages again
    closed_.clear();
    router_->route(from, goal_cluster_, closed_, found_);
  }
  route_ = found_.clusters;
  top_p_ = found_.top_p;
  next_ = std::min<size_t>(1, route_.size() - 1);
  behind_ = 0;
}

void RouteFollower::choose_target(Decision& decision) {
  decision.subgoal = goal_psi_;
  decision.goal_cluster = goal_cluster_;
  decision.cluster = graph_->nearest(decision.psi);
  const size_t at = std::find(route_.begin(), route_.end(), decision.cluster) - route_.begin();
  if (at == route_.size()) {
    // off the route
    decision.replanned = !route_.empty();
    plan_route(decision.cluster);
    decision.no_route = route_.empty();
  } else if (at == next_) {
    // in the target
    decision.advanced = next_ + 1 < route_.size();
    next_ = std::min(next_ + 1, route_.size() - 1);
  }

  if (!decision.no_route) {
    // who has been elsewhere on the route for a while goes on from there
    behind_ = decision.cluster == route_[next_ > 0 ? next_ - 1 : 0] ? 0 : behind_ + 1;
    if (fall_back_ > 0 && behind_ > fall_back_) {
      next_ = std::min(at + 1, route_.size() - 1);
      behind_ = 0;
    }
    decision.top_p = top_p_;
    decision.target = route_[next_];
    decision.route.reserve(graph_->clusters());
    decision.route.assign(route_.begin() + (next_ > 0 ? next_ - 1 : 0), route_.end());
    if (decision.target != goal_cluster_) {
      const auto center = graph_->center(decision.target);
      decision.subgoal.assign(center.begin(), center.end());
    }
  }
  decision.subgoal_distance = std::sqrt(squared_distance(decision.psi, decision.subgoal));
}

// the way that is left has not become shorter for `patience` decisions
bool RouteFollower::stalled(const Decision& decision) {
  if (decision.target < 0) return false;
  double left = decision.subgoal_distance;
  for (size_t i = next_; i + 1 < route_.size(); ++i) left += graph_->length(route_[i], route_[i + 1]);
  if (last_cluster_ >= 0 && last_cluster_ != decision.cluster) crossed_ = std::minmax(last_cluster_, decision.cluster);
  last_cluster_ = decision.cluster;
  const bool progress = left < least_left_ - std::min(kProgress * least_left_, kFarProgress * edge_);
  if (progress) {
    least_left_ = left;
    idle_ = 0;
    crossed_.reset();
  }
  ++idle_;
  judge_search(progress);
  return patience_ > 0 && idle_ > patience_ && decision.cluster != goal_cluster_;
}

// rests for a while after `doubt` decisions without progress; who enters a region and falls back has made none
void RouteFollower::judge_search(bool progress) {
  if (rest_ > 0)
    --rest_;
  else if (progress)
    tried_ = 0;
  else if (doubt_ > 0 && ++tried_ > doubt_) {
    tried_ = 0;
    rest_ = kRest * doubt_;
  }
}

// what the agent crosses back and forth, or else what it stands in front of, is no passage here
void RouteFollower::close_passage(Decision& decision) {
  std::tie(decision.closed_from, decision.closed_to) =
      crossed_.value_or(std::minmax(decision.cluster, decision.target));
  closed_.insert({decision.closed_from, decision.closed_to});
  route_.clear();
  forget_progress();
}

void RouteFollower::forget_progress() {
  least_left_ = std::numeric_limits<double>::infinity();
  idle_ = 0;
  crossed_.reset();
}

}  // namespace alps
