// CEM against known optima, its noise against its definition, and its deadline.
#include "alps/plan/cem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>

namespace alps {
namespace {

CemResult cem(const CemParams& params, std::vector<float> plan, size_t action_size, CemCost cost, Rng& rng,
              Deadline deadline = Deadline::max(), int threads = 1) {
  CemResult result{.plan = std::move(plan)};
  alps::cem(params, action_size, cost, rng, result, deadline, threads);
  return result;
}

TEST(Cem, FindsTheMinimumOfAQuadratic) {
  const CemParams params{
      .samples = 300, .horizon = 4, .iterations = 25, .sigma = 0.5, .noise_beta = 0.0, .momentum = 0.1};
  std::vector<float> target = {0.3f, -0.7f, 0.1f, 0.9f, -0.2f, 0.5f, 0.0f, -0.4f};
  Rng rng(1);
  const CemResult result = cem(
      params, std::vector<float>(8), 2,
      [&](auto actions, const Needed&, auto costs) {
        for (size_t s = 0; s < costs.size(); ++s) {
          costs[s] = 0;
          for (size_t i = 0; i < 8; ++i) costs[s] += (1 + i) * std::pow(actions[s * 8 + i] - target[i], 2);
        }
      },
      rng);
  for (size_t i = 0; i < 8; ++i) EXPECT_NEAR(result.plan[i], target[i], 0.05) << i;
  EXPECT_EQ(result.iterations, 25);
  EXPECT_LT(result.elite_costs.back(), 0.1 * result.elite_costs.front());
}

TEST(Cem, RespectsTheActionLimit) {
  Rng rng(2);
  // a first mean beyond the limit is clipped too
  const CemResult result = cem(
      {.samples = 100, .horizon = 3, .iterations = 10}, {2, 0, 0}, 1,
      [&](auto actions, const Needed&, auto costs) {
        for (const float a : actions) ASSERT_LE(std::abs(a), 1.0f);
        for (size_t s = 0; s < costs.size(); ++s) costs[s] = -actions[3 * s] - actions[3 * s + 1] - actions[3 * s + 2];
      },
      rng);
  for (const float a : result.plan) EXPECT_NEAR(a, 1.0, 0.1);
}

TEST(Cem, NoiseIsCorrelatedAndOfUnitVariance) {
  const CemParams params{.samples = 40000, .horizon = 6, .iterations = 1, .sigma = 0.1, .noise_beta = 0.9};
  Rng rng(3);
  cem(
      params, std::vector<float>(6), 1,
      [&](auto actions, const Needed&, auto costs) {
        std::fill(costs.begin(), costs.end(), 0.0f);
        double variance[6] = {}, lag1 = 0, lag3 = 0;
        for (size_t s = 1; s < costs.size(); ++s) {
          const float* a = &actions[6 * s];
          for (int t = 0; t < 6; ++t) variance[t] += a[t] * a[t] / costs.size();
          lag1 += a[2] * a[3] / costs.size();
          lag3 += a[1] * a[4] / costs.size();
        }
        for (const double v : variance) EXPECT_NEAR(v, 0.01, 0.0004);
        EXPECT_NEAR(lag1, 0.009, 0.0004);
        EXPECT_NEAR(lag3, 0.00729, 0.0004);
      },
      rng);
}

TEST(Cem, NotANumberNeverWins) {
  Rng rng(4);
  const CemResult result = cem(
      {.samples = 60, .horizon = 1, .iterations = 5}, {0.5f}, 1,
      [&](auto actions, const Needed&, auto costs) {
        for (size_t s = 0; s < costs.size(); ++s) costs[s] = actions[s] < 0 ? NAN : actions[s];
      },
      rng);
  EXPECT_TRUE(std::isfinite(result.plan[0]));
  EXPECT_GE(result.plan[0], -0.05);
}

TEST(Cem, KeptElitesAreNeverLost) {
  const auto costs_of = [](bool keep, int threads) {
    Rng rng(4);
    return cem(
        {.samples = 12, .horizon = 3, .iterations = 12, .sigma_floor = 1.0, .keep_elites = keep}, std::vector<float>(6),
        2,
        [&](auto actions, const Needed&, auto costs) {
          for (size_t s = 0; s < costs.size(); ++s) {
            costs[s] = 0;
            for (size_t i = 0; i < 6; ++i) costs[s] += std::abs(actions[s * 6 + i] - 0.3f);
          }
        },
        rng, Deadline::max(), threads);
  };
  const CemResult kept = costs_of(true, 1);
  for (size_t i = 1; i < kept.best_costs.size(); ++i) EXPECT_LE(kept.best_costs[i], kept.best_costs[i - 1]);
  const CemResult lost = costs_of(false, 1);
  EXPECT_FALSE(std::is_sorted(lost.best_costs.rbegin(), lost.best_costs.rend()));
  EXPECT_EQ(kept.plan, costs_of(true, 3).plan);
}

TEST(Cem, EndsWithTheCandidatesThereWasTimeFor) {
  Rng rng(6);
  int calls = 0;
  const CemResult some = cem(
      {.samples = 40, .horizon = 1, .iterations = 8}, {0.0f}, 1,
      [&](auto actions, const Needed&, auto costs) {
        ++calls;
        for (size_t s = 0; s < costs.size(); ++s) costs[s] = calls < 5 || s < 20 ? std::abs(actions[s] - 0.5f) : NAN;
      },
      rng);
  EXPECT_EQ(some.iterations, 5);
  EXPECT_EQ(calls, 5);  // no others are drawn
  EXPECT_NEAR(some.plan[0], 0.5, 0.1);
  const CemResult none = cem(
      {.samples = 40, .horizon = 1, .iterations = 8}, {0.25f}, 1,
      [&](auto, const Needed&, auto costs) { std::fill(costs.begin(), costs.end(), NAN); }, rng);
  EXPECT_EQ(none.iterations, 0);
  EXPECT_EQ(none.plan[0], 0.25f);
}

TEST(Cem, SameSeedSamePlanAndDeadline) {
  auto run = [](uint64_t seed, Deadline deadline, int pause_ms) {
    Rng rng(seed);
    return cem(
        {.samples = 50, .horizon = 2, .iterations = 6}, std::vector<float>(2), 1,
        [&](auto actions, const Needed&, auto costs) {
          if (pause_ms) std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
          for (size_t s = 0; s < costs.size(); ++s) costs[s] = actions[2 * s];
        },
        rng, deadline);
  };
  EXPECT_EQ(run(1, Deadline::max(), 0).plan, run(1, Deadline::max(), 0).plan);
  EXPECT_NE(run(1, Deadline::max(), 0).plan, run(2, Deadline::max(), 0).plan);
  const int iterations = run(1, std::chrono::steady_clock::now() + std::chrono::milliseconds(50), 20).iterations;
  EXPECT_GE(iterations, 1);
  EXPECT_LE(iterations, 4);
}

}  // namespace
}  // namespace alps
