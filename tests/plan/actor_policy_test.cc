#include "alps/plan/actor_policy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "alps/base/error.h"

namespace alps {
namespace {

// action = 2 (x_goal - x) on normalized states, a limit of 0.5, states with mean 1 and deviation 4
Bundle bundle() {
  Bundle b;
  b.vectors = {{"normalizer.mean", {1}}, {"normalizer.deviation", {4}}, {"actions.limit", {0.5f}}};
  b.leave("actor", Mlp({Linear(2, 1, {-2, 2}, {0})}), "state, state of the goal -> action");
  return b;
}

TEST(ActorPolicy, ActsOnNormalizedStateAndGoalInUnitsOfTheLimit) {
  ActorPolicy policy(std::make_shared<Bundle>(bundle()));
  EXPECT_THROW(policy.act(std::vector<float>{1}), UsageError);  // no goal yet
  policy.reset(std::vector<float>{2}, Rng(0));
  // (2 - 1) / 4 - (1 - 1) / 4 = 0.25; twice that, times the limit
  EXPECT_NEAR(policy.act(std::vector<float>{1}).action[0], 0.25, 1e-6);
  EXPECT_NEAR(policy.act(std::vector<float>{-30}).action[0], 0.5, 1e-6);  // no further than the limit
  EXPECT_NEAR(policy.act(std::vector<float>{30}).action[0], -0.5, 1e-6);
  const Decision decision = policy.act(std::vector<float>{1});
  EXPECT_EQ(decision.cluster, -1);
  EXPECT_TRUE(decision.route.empty() && decision.plan.empty());
}

TEST(ActorPolicy, SeesGoalsAsTheyAreRepresentedWithTheirLengthSet) {
  Bundle b = bundle();
  // (3 d, 4 d) of the difference d, whose length becomes the root of two; the action is the sum
  b.leave("actor_goal", Mlp({Linear(2, 2, {-3, 3, -4, 4}, {0, 0})}), "");
  b.leave("actor", Mlp({Linear(3, 1, {0, 0.1f, 0.1f}, {0})}), "");
  ActorPolicy policy(std::make_shared<Bundle>(b));
  policy.reset(std::vector<float>{2}, Rng(0));
  EXPECT_NEAR(policy.act(std::vector<float>{1}).action[0], 0.5 * 0.14 * std::sqrt(2.0), 1e-6);
  EXPECT_NEAR(policy.act(std::vector<float>{9}).action[0], -0.5 * 0.14 * std::sqrt(2.0), 1e-6);
  b.leave("actor_goal", Mlp({Linear(1, 2, {1, 1}, {0, 0})}), "");
  EXPECT_THROW(ActorPolicy(std::make_shared<Bundle>(b)), Error);
}

TEST(ActorPolicy, AClonePursuesTheSameGoal) {
  ActorPolicy policy(std::make_shared<Bundle>(bundle()));
  policy.reset(std::vector<float>{2}, Rng(0));
  const auto copy = policy.clone();
  policy.reset(std::vector<float>{0}, Rng(0));
  EXPECT_GT(copy->act(std::vector<float>{1}).action[0], 0);
  EXPECT_LT(policy.act(std::vector<float>{1}).action[0], 0);
}

TEST(ActorPolicy, RefusesWhatDoesNotFit) {
  EXPECT_THROW(ActorPolicy(nullptr), UsageError);
  Bundle none = bundle();
  none.forget("actor");
  EXPECT_THROW(ActorPolicy(std::make_shared<Bundle>(none)), Error);
  Bundle wrong = bundle();
  wrong.leave("actor", Mlp({Linear(3, 1, {1, 1, 1}, {0})}), "");
  EXPECT_THROW(ActorPolicy(std::make_shared<Bundle>(wrong)), Error);
  ActorPolicy policy(std::make_shared<Bundle>(bundle()));
  EXPECT_THROW(policy.reset(std::vector<float>{1, 2}, Rng(0)), Error);
  EXPECT_THROW(policy.reset(std::vector<float>{std::nanf("")}, Rng(0)), Error);
}

}  // namespace
}  // namespace alps
