// Rollouts that give up early against rollouts that do not, and deadlines.
#include "alps/plan/rollout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "alps/base/rng.h"

namespace alps {
namespace {

constexpr size_t kState = 5, kAction = 2, kEigen = 7, kHorizon = 9;

std::vector<float> random(Rng& rng, size_t count, double scale = 1) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(scale * rng.normal());
  return values;
}

Mlp network(Rng& rng, std::vector<size_t> sizes) {
  std::vector<Linear> layers;
  for (size_t i = 0; i + 1 < sizes.size(); ++i)
    layers.emplace_back(sizes[i], sizes[i + 1], random(rng, sizes[i] * sizes[i + 1], 1 / std::sqrt(sizes[i])),
                        random(rng, sizes[i + 1], 0.1));
  return Mlp(std::move(layers));
}

struct Search {
  Rng rng{3};
  Model model;
  std::vector<float> state = random(rng, kState), subgoal = random(rng, kEigen);
  size_t count = 100;
  std::vector<float> actions = random(rng, count* kHorizon* kAction, 0.5);
  Precision precision;

  explicit Search(Precision precision_in = Precision::kFp32) : precision(precision_in) {
    model.mean.assign(kState, 0.0f);
    model.deviation.assign(kState, 1.0f);
    model.representation = network(rng, {kState, 24, 24, kEigen});
    model.actions.limit.assign(kAction, 1.0f);
    model.model = network(rng, {kState + kAction, 20, 20, kState});
    model.change_mean.assign(kState, 0.0f);
    model.change_deviation.assign(kState, 0.3f);
  }

  std::vector<float> costs(const Needed& needed, int threads = 1, Deadline deadline = Deadline::max()) const {
    std::vector<float> costs(count);
    const RolloutParams params{
        .horizon = kHorizon, .penalty = 0.01, .threads = threads, .precision = precision, .deadline = deadline};
    rollout_costs(model, state, subgoal, actions, params, needed, costs);
    return costs;
  }
};

void expect_the_cheapest(const Search& search) {
  const std::vector<float> all = search.costs({});
  std::vector<float> sorted = all;
  std::sort(sorted.begin(), sorted.end());
  for (const size_t best : {1, 5, 15, 50, 99, 100, 1000}) {
    const std::vector<float> some = search.costs({.best = best});
    const float worst = sorted[std::min(best, sorted.size()) - 1];
    size_t given_up = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i] <= worst) {
        EXPECT_EQ(some[i], all[i]) << best;
      } else {
        EXPECT_GT(some[i], worst) << best;
        given_up += std::isinf(some[i]);
      }
    }
    if (best == 5) {
      EXPECT_GT(given_up, 20u);
    }
  }
}

TEST(Rollout, TheCheapestAreExactWhenOthersAreGivenUp) { expect_the_cheapest(Search()); }

TEST(Rollout, InBf16TooAndNearFp32) {
  if (!has_bf16()) GTEST_SKIP() << "this processor has no instructions for bf16";
  const Search search(Precision::kBf16);
  expect_the_cheapest(search);
  for (const size_t best : {15, 1000}) EXPECT_EQ(search.costs({.best = best}, 1), search.costs({.best = best}, 3));
  const std::vector<float> costs = search.costs({}), exact = Search().costs({});
  EXPECT_NE(costs, exact);
  for (size_t i = 0; i < costs.size(); ++i) EXPECT_NEAR(costs[i], exact[i], 0.02 * exact[i]);
}

TEST(Rollout, ALimitFromOutsideHolds) {
  const Search search;
  const std::vector<float> all = search.costs({});
  std::vector<float> sorted = all;
  std::sort(sorted.begin(), sorted.end());
  for (const size_t below : {0, 4, 40}) {  // so many cost less than the limit
    const float limit = 0.5f * (sorted[below] + sorted[below + 1]), worst = std::min(limit, sorted[14]);
    const std::vector<float> some = search.costs({.best = 15, .limit = limit});
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i] <= worst) {
        EXPECT_EQ(some[i], all[i]) << below;
      } else {
        EXPECT_GT(some[i], worst) << below;
      }
    }
  }
}

TEST(Rollout, CostsDoNotDependOnThreads) {
  const Search search;
  for (const size_t best : {15, 1000}) EXPECT_EQ(search.costs({.best = best}, 1), search.costs({.best = best}, 3));
}

TEST(Rollout, WhatThereIsNoTimeForIsNotANumber) {
  const Search search;
  const auto late = search.costs({}, 2, std::chrono::steady_clock::now() - std::chrono::seconds(1));
  const auto early = search.costs({}, 2, std::chrono::steady_clock::now() + std::chrono::hours(1));
  ASSERT_FALSE(late.empty());
  ASSERT_EQ(early.size(), late.size());
  for (const float cost : late) EXPECT_TRUE(std::isnan(cost));
  for (const float cost : early) EXPECT_TRUE(std::isfinite(cost));
}

TEST(Rollout, AModelThatExplodesCostsInfinity) {
  Search search;
  search.model.change_deviation.assign(kState, 1e30f);
  const auto costs = search.costs({.best = 10});
  ASSERT_FALSE(costs.empty());
  for (const float cost : costs) EXPECT_TRUE(std::isinf(cost));
}

}  // namespace
}  // namespace alps
