#include "alps/plan/goal_value.h"

#include <gtest/gtest.h>

namespace alps {
namespace {

Bundle bundle() {
  Bundle b;
  b.vectors = {{"normalizer.mean", {0, 0}}, {"normalizer.deviation", {1, 1}}, {"actions.limit", {1}}};
  return b;
}

TEST(GoalValue, OfALearnedDistanceIsTheDistance) {
  Bundle b = bundle();
  EXPECT_EQ(goal_value_name(b), "");
  b.leave("phi", Mlp({Linear(2, 2, {2, 0, 0, 2}, {5, 5})}), "");
  // values of directions are none of goals
  b.leave("value", Mlp({Linear(4, 1, {1, 1, 1, 1}, {0})}), "");
  EXPECT_EQ(goal_value_name(b), "distance -|phi(s) - phi(g)|");
  const std::vector<float> values = goal_values(b, std::vector<float>{0, 0, 3, 4, 0, 4}, std::vector<float>{3, 4});
  ASSERT_EQ(values.size(), 3u);
  EXPECT_NEAR(values[0], -10, 1e-5);
  EXPECT_NEAR(values[1], 0, 1e-5);
  EXPECT_NEAR(values[2], -6, 1e-5);
}

TEST(GoalValue, OfTwinsIsTheirMean) {
  Bundle b = bundle();
  b.leave("value_one", Mlp({Linear(4, 1, {1, 0, 0, 0}, {0})}), "");
  b.leave("value_two", Mlp({Linear(4, 1, {0, 0, 1, 0}, {0})}), "");
  EXPECT_NEAR(goal_values(b, std::vector<float>{4, 0}, std::vector<float>{2, 0})[0], 3, 1e-6);
}

}  // namespace
}  // namespace alps
