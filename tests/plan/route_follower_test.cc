// Algorithm 1 on a line of five regions: what happens in the target, off the route, behind it, ahead of it, and where
// nothing moves on.
#include "alps/plan/route_follower.h"

#include <gtest/gtest.h>

#include "line_world.h"

namespace alps {
namespace {

Decision follow(RouteFollower& follower, float at) {
  Decision decision;
  decision.psi = {at};
  follower.follow(decision);
  return decision;
}

RouteFollower towards(float goal, const PlannerSettings& settings = line_settings(),
                      std::shared_ptr<ClusterGraph> graph = line_graph()) {
  RouteFollower follower(std::move(graph), settings);
  follower.reset(std::vector<float>{goal});
  return follower;
}

TEST(RouteFollower, WalksClusterByCluster) {
  RouteFollower follower = towards(4.2f);
  Decision d = follow(follower, 0.1f);
  EXPECT_EQ(d.cluster, 0);
  EXPECT_EQ(d.target, 1);
  EXPECT_EQ(d.goal_cluster, 4);
  EXPECT_EQ(d.route, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_FALSE(d.replanned || d.advanced || d.no_route || d.detour);
  EXPECT_EQ(d.subgoal, (std::vector<float>{1}));
  EXPECT_NEAR(d.subgoal_distance, 0.9, 1e-6);

  // still on the way: nothing changes; in the target: the next one
  d = follow(follower, 0.4f);
  EXPECT_EQ(d.target, 1);
  EXPECT_FALSE(d.advanced);
  d = follow(follower, 0.8f);
  EXPECT_TRUE(d.advanced);
  EXPECT_EQ(d.target, 2);
  EXPECT_EQ(d.route, (std::vector<int>{1, 2, 3, 4}));

  // back in a cluster that lies on the route: no new route
  d = follow(follower, 0.2f);
  EXPECT_FALSE(d.replanned || d.advanced);
  EXPECT_EQ(d.target, 2);

  // the last target is the goal itself, not its cluster's centre; in its cluster nothing advances any more
  follow(follower, 2.0f);
  d = follow(follower, 3.0f);
  EXPECT_TRUE(d.advanced);
  EXPECT_EQ(d.target, 4);
  EXPECT_EQ(d.subgoal, (std::vector<float>{4.2f}));
  for (int t = 0; t < 3; ++t) {
    d = follow(follower, 4.0f);
    EXPECT_FALSE(d.advanced);
    EXPECT_EQ(d.target, 4);
    EXPECT_EQ(d.subgoal, (std::vector<float>{4.2f}));
  }
}

TEST(RouteFollower, AheadOfTheTargetNothingAdvances) {
  RouteFollower follower = towards(4.0f);
  EXPECT_EQ(follow(follower, 0.0f).target, 1);
  // two regions further than the target, on the route: the target stays, as in the paper
  const Decision d = follow(follower, 3.0f);
  EXPECT_FALSE(d.advanced || d.replanned);
  EXPECT_EQ(d.target, 1);
  EXPECT_EQ(follow(follower, 3.0f).target, 1);
}

TEST(RouteFollower, FallBackGoesOnFromWhereTheAgentHasStayed) {
  PlannerSettings s = line_settings();
  s.fall_back = 2;
  RouteFollower follower = towards(4.0f, s);
  follow(follower, 0.0f);
  // ahead of the target for more than two decisions
  EXPECT_EQ(follow(follower, 3.0f).target, 1);
  EXPECT_EQ(follow(follower, 3.0f).target, 1);
  EXPECT_EQ(follow(follower, 3.0f).target, 4);
  // elsewhere again: that is counted from the beginning
  EXPECT_EQ(follow(follower, 0.0f).target, 4);
  EXPECT_EQ(follow(follower, 0.0f).target, 4);
  EXPECT_EQ(follow(follower, 0.0f).target, 1);

  // behind it
  follower.reset(std::vector<float>{4.0f});
  follow(follower, 0.0f);
  EXPECT_EQ(follow(follower, 1.0f).target, 2);
  EXPECT_EQ(follow(follower, 2.0f).target, 3);
  // a flicker between regions changes nothing, staying behind does
  EXPECT_EQ(follow(follower, 0.2f).target, 3);
  EXPECT_EQ(follow(follower, 0.2f).target, 3);
  EXPECT_EQ(follow(follower, 2.0f).target, 3);
  EXPECT_EQ(follow(follower, 0.2f).target, 3);
  EXPECT_EQ(follow(follower, 0.2f).target, 3);
  const Decision d = follow(follower, 0.2f);
  EXPECT_FALSE(d.replanned);
  EXPECT_EQ(d.target, 1);
  EXPECT_EQ(follow(follower, 1.0f).target, 2);
}

TEST(RouteFollower, DriftMakesANewRoute) {
  RouteFollower follower = towards(4.0f);
  EXPECT_EQ(follow(follower, 2.0f).route, (std::vector<int>{2, 3, 4}));
  const Decision d = follow(follower, 0.0f);
  EXPECT_TRUE(d.replanned);
  EXPECT_EQ(d.route, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(d.target, 1);
}

TEST(RouteFollower, InTheGoalsClusterTheGoalIsTheTarget) {
  RouteFollower follower = towards(4.2f);
  const Decision d = follow(follower, 3.8f);
  EXPECT_EQ(d.route, (std::vector<int>{4}));
  EXPECT_EQ(d.target, 4);
  EXPECT_EQ(d.subgoal, (std::vector<float>{4.2f}));
  EXPECT_FALSE(d.no_route || d.replanned || d.advanced);
}

TEST(RouteFollower, WithoutARouteTheSubgoalIsTheGoal) {
  auto graph = line_graph();
  graph->passages[2 * 5 + 3] = graph->passages[3 * 5 + 2] = 0;
  RouteFollower follower = towards(4.0f, line_settings(), graph);
  for (int t = 0; t < 2; ++t) {
    const Decision d = follow(follower, 0.0f);
    EXPECT_TRUE(d.no_route);
    EXPECT_FALSE(d.replanned);
    EXPECT_EQ(d.target, -1);
    EXPECT_TRUE(d.route.empty());
    EXPECT_EQ(d.subgoal, (std::vector<float>{4}));
    EXPECT_EQ(d.subgoal_distance, 4);
  }
  // from the other side there is one
  EXPECT_EQ(follow(follower, 3.0f).target, 4);
}

// clusters 0 and 2 seem to touch, but a wall stands between them; the way round is 0, 1, 2 with 1 off the line
std::shared_ptr<ClusterGraph> walled() {
  auto graph = std::make_shared<ClusterGraph>();
  graph->dim = 1;
  graph->centers = {0, -3, 2};
  graph->sizes.assign(3, 10);
  graph->passages = {0, 9, 9, 9, 0, 9, 9, 9, 0};
  return graph;
}

TEST(RouteFollower, APassageThatLeadsNowhereIsClosed) {
  PlannerSettings s = line_settings();
  s.patience = 5;
  RouteFollower follower = towards(2.0f, s, walled());
  for (int t = 0; t < 5; ++t) {
    const Decision d = follow(follower, 0.5f);
    EXPECT_EQ(d.target, 2);
    EXPECT_FALSE(d.detour);
    EXPECT_EQ(follower.idle(), t + 1);
  }
  Decision d = follow(follower, 0.5f);
  EXPECT_TRUE(d.detour);
  EXPECT_EQ(std::pair(d.closed_from, d.closed_to), std::pair(0, 2));
  EXPECT_EQ(d.route, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(d.target, 1);
  EXPECT_EQ(d.subgoal_distance, 3.5);
  EXPECT_EQ(follower.idle(), 0);

  // the only other way leads nowhere either: all passages are tried again
  for (int t = 0; t < 5; ++t) EXPECT_FALSE(follow(follower, 0.5f).detour);
  d = follow(follower, 0.5f);
  EXPECT_TRUE(d.detour);
  EXPECT_EQ(std::pair(d.closed_from, d.closed_to), std::pair(0, 1));
  EXPECT_EQ(d.target, 2);

  // a new episode starts with every passage open; without patience none is ever closed
  follower.reset(std::vector<float>{2.0f});
  EXPECT_EQ(follow(follower, 0.5f).target, 2);
  s.patience = 0;
  RouteFollower patient = towards(2.0f, s, walled());
  for (int t = 0; t < 50; ++t) EXPECT_EQ(follow(patient, 0.5f).target, 2);
  EXPECT_EQ(patient.idle(), 50);
}

TEST(RouteFollower, ProgressIsAHundredthOfTheWayAndEndsInTheGoalsCluster) {
  PlannerSettings s = line_settings();
  s.patience = 5;
  // four units are left: a step of 0.03 is not yet a hundredth, one of 0.05 is
  RouteFollower follower = towards(4.0f, s);
  follow(follower, 0.0f);
  follow(follower, 0.03f);
  EXPECT_EQ(follower.idle(), 2);
  follow(follower, 0.05f);
  EXPECT_EQ(follower.idle(), 1);
  for (int t = 0; t < 30; ++t) EXPECT_FALSE(follow(follower, 0.06f + 0.05f * t).detour);
  // near the goal nobody is sent away
  follower.reset(std::vector<float>{4.0f});
  for (int t = 0; t < 30; ++t) EXPECT_FALSE(follow(follower, 3.9f).detour);
}

TEST(RouteFollower, CrossingBackAndForthClosesThatPassage) {
  // 0 - 1 - 2 - 3 in a line, and 0 - 2 by another way round; the agent goes to and fro between 0 and 1
  auto graph = line_graph();
  graph->passages[0 * 5 + 2] = graph->passages[2 * 5 + 0] = 100;
  graph->centers = {0, 1, 1.5, 3, 4};
  PlannerSettings s = line_settings();
  s.patience = 6;
  s.fall_back = 1;
  RouteFollower follower = towards(4.0f, s, graph);
  Decision d;
  for (int t = 0; t < 20 && !d.detour; ++t) d = follow(follower, t % 2 ? 0.3f : 0.8f);
  EXPECT_TRUE(d.detour);
  EXPECT_EQ(std::pair(d.closed_from, d.closed_to), std::pair(0, 1));
  EXPECT_EQ(follow(follower, 0.3f).route, (std::vector<int>{0, 2, 3, 4}));
}

TEST(RouteFollower, SettingsReachTheRouter) {
  // 0 - 1 is seen a thousand times, 1 - 2 once: both ends of 1 - 2 drop it at 0.5, since 2 goes to 3 more often
  auto graph = line_graph();
  graph->passages[0 * 5 + 1] = graph->passages[1 * 5 + 0] = 1000;
  graph->passages[1 * 5 + 2] = graph->passages[2 * 5 + 1] = 1;
  PlannerSettings s = line_settings();
  s.top_p = 0.5;
  RouteFollower strict = towards(4.0f, s, graph);
  EXPECT_TRUE(follow(strict, 0.0f).no_route);
  s.relax_top_p = true;
  RouteFollower relaxed = towards(4.0f, s, graph);
  const Decision d = follow(relaxed, 0.0f);
  EXPECT_EQ(d.route, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_GT(d.top_p, 0.5);
}

}  // namespace
}  // namespace alps
