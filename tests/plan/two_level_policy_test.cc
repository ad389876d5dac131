#include "alps/plan/two_level_policy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "alps/base/error.h"

namespace alps {
namespace {

// states with mean 1 and deviation 4, a limit of 0.5; subgoals of two numbers: (goal - state, 0) before their length is
// set, so (+-root 2, 0) after it; the lower actor's action is a quarter of the first number
Bundle bundle() {
  Bundle b;
  b.vectors = {{"normalizer.mean", {1}}, {"normalizer.deviation", {4}}, {"actions.limit", {0.5f}}};
  b.leave("goal", Mlp({Linear(2, 2, {-1, 1, 0, 0}, {0, 0})}), "");
  b.leave("high_actor", Mlp({Linear(2, 2, {-1, 1, 0, 0}, {0, 0})}), "");
  b.leave("low_actor", Mlp({Linear(3, 1, {0, 0.25f, 0}, {0})}), "");
  return b;
}

TEST(TwoLevelPolicy, TheLowerActorFollowsASubgoalOfSetLength) {
  TwoLevelPolicy policy(std::make_shared<Bundle>(bundle()));
  EXPECT_THROW(policy.act(std::vector<float>{1}), UsageError);  // no goal yet
  policy.reset(std::vector<float>{2}, Rng(0));
  const Decision ahead = policy.act(std::vector<float>{1});
  EXPECT_NEAR(ahead.action[0], 0.5 * 0.25 * std::sqrt(2.0), 1e-6);
  ASSERT_EQ(ahead.subgoal.size(), 2u);
  EXPECT_NEAR(ahead.subgoal[0], std::sqrt(2.0), 1e-6);
  const auto copy = policy.clone();
  policy.reset(std::vector<float>{0}, Rng(0));
  EXPECT_LT(policy.act(std::vector<float>{1}).action[0], 0);
  EXPECT_GT(copy->act(std::vector<float>{1}).action[0], 0);
}

TEST(TwoLevelPolicy, RefusesWhatDoesNotFit) {
  EXPECT_THROW(TwoLevelPolicy(nullptr), UsageError);
  for (const char* name : {"goal", "high_actor", "low_actor"}) {
    Bundle none = bundle();
    none.forget(name);
    EXPECT_THROW(TwoLevelPolicy(std::make_shared<Bundle>(none)), Error) << name;
  }
  Bundle wrong = bundle();
  wrong.leave("low_actor", Mlp({Linear(2, 1, {1, 1}, {0})}), "");
  EXPECT_THROW(TwoLevelPolicy(std::make_shared<Bundle>(wrong)), Error);
  TwoLevelPolicy policy(std::make_shared<Bundle>(bundle()));
  EXPECT_THROW(policy.reset(std::vector<float>{1, 2}, Rng(0)), Error);
}

}  // namespace
}  // namespace alps
