#include "alps/plan/direction_policy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "alps/base/error.h"

namespace alps {
namespace {

// places in a plane; phi is twice the place, the action the direction itself
std::shared_ptr<Bundle> bundle() {
  auto b = std::make_shared<Bundle>();
  b->vectors = {{"normalizer.mean", {0, 0}}, {"normalizer.deviation", {1, 1}}, {"actions.limit", {1, 1}}};
  b->leave("phi", Mlp({Linear(2, 2, {2, 0, 0, 2}, {0, 0})}), "");
  b->leave("actor", Mlp({Linear(4, 2, {0, 0, 1, 0, 0, 0, 0, 1}, {0, 0})}), "");
  return b;
}

// round a corner: in phi (0, 0), (4, 0), (8, 0), (8, 4), (8, 8); reach 5
std::shared_ptr<const WaypointGraph> corner() {
  return std::make_shared<WaypointGraph>(join_waypoints(2, {0, 0, 4, 0, 8, 0, 8, 4, 8, 8}, 5));
}

void expect_near(const std::vector<float>& a, std::vector<float> b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5) << i;
}

using Place = std::vector<float>;

TEST(DirectionPolicy, WithoutWaypointsHeadsStraightForTheGoal) {
  DirectionPolicy policy(bundle());
  EXPECT_THROW(policy.act(Place{0, 0}), UsageError);
  policy.reset(Place{3, 4}, Rng(0));
  const Decision decision = policy.act(Place{0, 0});
  expect_near(decision.action, {0.6f, 0.8f});
  expect_near(decision.subgoal, {6, 8});
  EXPECT_NEAR(decision.goal_distance, 10, 1e-5);
  expect_near(policy.act(Place{3, 0}).action, {0, 1});
  expect_near(policy.act(Place{3, 4}).action, {0, 0});  // there
}

TEST(DirectionPolicy, GoesByTheFurthestWaypointWithinReach) {
  DirectionPolicy policy(bundle(), corner());
  policy.reset(Place{4, 4.5f}, Rng(0));  // (8, 9) in phi
  Decision decision = policy.act(Place{0, 0});
  expect_near(decision.subgoal, {4, 0});  // the one after it is 8 away
  EXPECT_NEAR(decision.subgoal_distance, 4, 1e-5);
  EXPECT_NEAR(decision.goal_distance, std::sqrt(145.0), 1e-5);
  expect_near(decision.action, {1, 0});
  expect_near(policy.act(Place{2, 0}).subgoal, {8, 0});
  // where no waypoint is within reach, the way of before holds, from its beginning
  expect_near(policy.act(Place{-9, 0}).subgoal, {4, 0});
  expect_near(policy.act(Place{4, 0}).subgoal, {8, 4});
  const auto copy = policy.clone();
  // once the goal is next, it stays the goal
  expect_near(policy.act(Place{4, 3}).subgoal, {8, 9});
  expect_near(policy.act(Place{0, 0}).subgoal, {8, 9});
  expect_near(copy->act(Place{0, 0}).subgoal, {4, 0});
  policy.reset(Place{4, 4.5f}, Rng(0));
  expect_near(policy.act(Place{0, 0}).subgoal, {4, 0});
}

TEST(DirectionPolicy, BeginsAtTheNearestWaypointWhereNoneIsWithinReach) {
  DirectionPolicy policy(bundle(), corner());
  policy.reset(Place{4, 4.5f}, Rng(0));
  expect_near(policy.act(Place{-9, 0}).subgoal, {0, 0});
}

TEST(DirectionPolicy, RefusesWhatDoesNotFit) {
  auto wrong = bundle();
  wrong->leave("actor", Mlp({Linear(3, 2, {0, 0, 1, 0, 0, 1}, {0, 0})}), "");
  EXPECT_THROW(DirectionPolicy{wrong}, Error);
  auto none = bundle();
  none->forget("phi");
  EXPECT_THROW(DirectionPolicy{none}, Error);
  EXPECT_THROW(DirectionPolicy(bundle(), std::make_shared<WaypointGraph>(join_waypoints(1, {0, 1}, 1))), Error);
}

}  // namespace
}  // namespace alps
