#include "alps/plan/factor_planner.h"

#include <gtest/gtest.h>

#include "alps/base/error.h"

namespace alps {
namespace {

// State: something that does not matter, and two things; an action pushes each by up to 0.1. The mover pushes the thing
// that it is told to towards its place; every move is supported and moves nothing else.
std::shared_ptr<Bundle> pushing() {
  auto bundle = std::make_shared<Bundle>();
  bundle->vectors = {{"normalizer.mean", {0, 0, 0}},      {"normalizer.deviation", {1, 1, 1}},
                     {"actions.limit", {0.1f, 0.1f}},     {"mover.rest", {0.001f, 0.001f}},
                     {"mover.patience", {20, 20}},        {"mover.stir", {8, 0}},
                     {"outcome.counts", {0, 0}},          {"outcome.places", {}},
                     {"representation.eigenvalues", {1}}, {"representation.eigenvalues_duals", {1}}};
  MoveInputs inputs;
  inputs.sizes = {1, 1};
  inputs.columns = {1, 2};
  inputs.things = {{1}, {2}};
  inputs.leader = {-1, -1};
  inputs.slope = inputs.offset = {0, 0};
  inputs.pause = 5;
  inputs.store(*bundle);
  const size_t n = inputs.size(3), m = inputs.outcome_size();
  // 10 way, in units of the limit, where it is that thing: relu(10 way - far) - relu(-10 way - far)
  constexpr size_t kFirst = 3, kWay = 6;
  constexpr float kFar = 1000;
  std::vector<float> hidden(4 * n, 0.0f);
  for (size_t unit = 0; unit < 4; ++unit) {
    hidden[unit * n + kWay] = unit % 2 ? -10 : 10;
    hidden[unit * n + kFirst + unit / 2] = kFar;
  }
  bundle->leave(
      "mover",
      Mlp({Linear(n, 4, hidden, {-kFar, -kFar, -kFar, -kFar}), Linear(4, 2, {1, -1, 0, 0, 0, 0, 1, -1}, {0, 0})}), "");
  bundle->leave("outcome", Mlp({Linear(m, 2, std::vector<float>(2 * m, 0.0f), {1, 0})}), "");
  bundle->leave("representation", Mlp({Linear(3, 1, {1, 1, 1}, {0})}), "");
  return bundle;
}

FactorPlanner planner() {
  const auto bundle = pushing();
  return {bundle, std::make_shared<Model>(*bundle), nullptr};
}

TEST(FactorPlanner, MovesOneThingAfterTheOther) {
  FactorPlanner policy = planner();
  std::vector<float> x = {5, 0, 0};
  const std::vector<float> goal = {-5, 1, -1};
  policy.reset(goal, Rng(0));
  for (int t = 0; t < 60; ++t) {
    const Decision d = policy.act(x);
    if (t == 0) {
      ASSERT_EQ(d.steps.size(), 2u);
      EXPECT_EQ(d.steps[0].columns, (std::vector<size_t>{1 + static_cast<size_t>(d.steps[0].factor)}));
    }
    const bool first = d.action[0] != 0, second = d.action[1] != 0;
    EXPECT_FALSE(first && second) << t;
    for (size_t k = 0; k < 2; ++k) x[1 + k] += d.action[k];
  }
  EXPECT_NEAR(x[1], 1, 0.08);
  EXPECT_NEAR(x[2], -1, 0.08);
}

TEST(FactorPlanner, WhatCannotBeMovedIsGivenUpForAWhile) {
  FactorPlanner policy = planner();
  std::vector<float> x = {0, 0, 0};
  const std::vector<float> goal = {0, 1, -1};
  policy.reset(goal, Rng(0));
  const auto stuck = static_cast<size_t>(policy.act(x).steps[0].factor);
  policy.reset(goal, Rng(0));
  int replanned = 0;
  for (int t = 0; t < 120; ++t) {
    const Decision d = policy.act(x);
    replanned += d.replanned;
    x[2 - stuck] += d.action[1 - stuck];
  }
  EXPECT_GT(replanned, 1);
  EXPECT_EQ(x[1 + stuck], 0);
  EXPECT_NEAR(x[2 - stuck], stuck == 0 ? -1 : 1, 0.08);
}

TEST(FactorPlanner, WhoStandsStillForLongerThanTheDataGivesUpAtOnce) {
  const auto bundle = pushing();
  bundle->vectors["mover.stir"] = {8, 0.05f};
  FactorPlanner policy(bundle, std::make_shared<Model>(*bundle), nullptr);
  policy.reset(std::vector<float>{0, 1, -1}, Rng(0));
  std::vector<float> x = {0, 0, 0};
  int first = -1;
  for (int t = 0; t < 20 && first < 0; ++t)
    if (policy.act(x).replanned) first = t;
  EXPECT_EQ(first, 8);
  // where something stirs, it waits as long as moves take
  policy.reset(std::vector<float>{0, 1, -1}, Rng(0));
  first = -1;
  for (int t = 0; t < 40 && first < 0; ++t) {
    x[0] = static_cast<float>(t % 2);
    if (policy.act(x).replanned) first = t;
  }
  EXPECT_EQ(first, 25);
}

TEST(FactorPlanner, ACopyDecidesTheSame) {
  FactorPlanner policy = planner();
  std::vector<float> x = {0, 0.5f, 0};
  const std::vector<float> goal = {0, 1, -1};
  policy.reset(goal, Rng(0));
  policy.act(x);
  const auto copy = policy.clone();
  x[1] += 0.05f;
  EXPECT_EQ(policy.act(x).action, copy->act(x).action);
}

TEST(FactorPlanner, DamagedNetworksAreTold) {
  for (const char* name : {"mover.rest", "mover.patience", "mover.stir", "mover.leader"}) {
    const auto bundle = pushing();
    bundle->vectors[name] = {1};
    EXPECT_THROW(FactorPlanner(bundle, std::make_shared<Model>(*bundle), nullptr), Error) << name;
  }
  EXPECT_FALSE(plans_by_factors(Bundle{}));
  EXPECT_TRUE(plans_by_factors(*pushing()));
  FactorPlanner policy = planner();
  EXPECT_THROW(policy.act(std::vector<float>{0, 0, 0}), UsageError);
}

}  // namespace
}  // namespace alps
