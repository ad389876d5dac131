#include "alps/data/goal_mixture.h"

#include <gtest/gtest.h>

#include <cmath>

namespace alps {
namespace {

TEST(GoalMixture, GeometricStepsStopAtTheEnd) {
  Rng rng(1);
  constexpr int kDraws = 200'000;
  constexpr size_t kLeft = 5;
  constexpr double kGamma = 0.8;
  std::vector<double> share(kLeft + 1);
  for (int i = 0; i < kDraws; ++i) share[steps_ahead(rng, kGamma, kLeft)] += 1.0 / kDraws;
  EXPECT_EQ(share[0], 0);
  for (size_t k = 1; k < kLeft; ++k) EXPECT_NEAR(share[k], (1 - kGamma) * std::pow(kGamma, k - 1), 5e-3) << k;
  EXPECT_NEAR(share[kLeft], std::pow(kGamma, kLeft - 1), 5e-3);  // all that lies beyond it

  std::ranges::fill(share, 0);
  for (int i = 0; i < kDraws; ++i) share[steps_ahead(rng, 0, kLeft)] += 1.0 / kDraws;
  for (size_t k = 1; k <= kLeft; ++k) EXPECT_NEAR(share[k], 0.2, 5e-3);
}

TEST(GoalMixture, SharesOfCurrentRandomAndLaterStates) {
  // ten episodes of a hundred rows: a random goal seldom lies in the same episode
  std::vector<Episode> episodes;
  for (size_t e = 0; e < 10; ++e) episodes.push_back({100 * e, 100 * e + 99});
  const Sampler sampler(episodes);
  Rng rng(2);
  const auto positions = sampler.positions(rng, 50'000);
  const auto goals = mixed_goals(rng, sampler, positions, {.current = 0.2, .random = 0.3, .gamma = 0.9});
  double current = 0, later = 0, elsewhere = 0;
  for (size_t i = 0; i < goals.size(); ++i) {
    const auto [row, remaining] = positions[i];
    ASSERT_GT(remaining, 0u);
    ASSERT_EQ(row / 100, (row + remaining) / 100);
    if (goals[i] == row)
      current += 1.0 / 50'000;
    else if (goals[i] / 100 != row / 100)
      elsewhere += 1.0 / 50'000;
    else if (goals[i] > row)
      later += 1.0 / 50'000;
  }
  EXPECT_NEAR(current, 0.2, 0.01);
  EXPECT_NEAR(elsewhere, 0.3 * 0.9, 0.01);
  EXPECT_NEAR(later, 0.5 + 0.3 * 0.05, 0.01);
}

}  // namespace
}  // namespace alps
