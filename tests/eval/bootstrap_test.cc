// Statistics over data sets by hand, and that their intervals depend on the seed only. tests/golden has them beside
// rliable.
#include "alps/eval/bootstrap.h"

#include <gtest/gtest.h>

namespace alps {
namespace {

const Scores kFour = {{0.1, 0.4, 0.3, 0.9}, {0.2, 0.2, 0.8, 1.0}, {0.0, 0.0, 0.1, 0.0}};

TEST(Bootstrap, StatisticsByHand) {
  EXPECT_DOUBLE_EQ(mean_score({{1, 3}, {10}}), 6);  // data sets count the same
  // sorted 0 1 2 ... 7: without two at each end
  EXPECT_DOUBLE_EQ(interquartile_mean({{7, 0, 3, 4}, {1, 6, 2, 50}}), (2 + 3 + 4 + 6) / 4.0);
  // of five runs one at each end
  EXPECT_DOUBLE_EQ(interquartile_mean({{1, 2, 3, 4, 50}}), 3);
  EXPECT_DOUBLE_EQ(interquartile_mean({{2}}), 2);
  EXPECT_DOUBLE_EQ(improvement_probability({{2, 1}, {5}}, {{1, 0}, {5}}), (3.5 / 4 + 0.5) / 2);
}

TEST(Bootstrap, ARunThatAlwaysScoresTheSameIsCertain) {
  const Scores constant = {{0.25, 0.25}, {0.75, 0.75}};
  const Estimate mean = bootstrap(constant, mean_score, Rng(1));
  EXPECT_EQ(mean.value, 0.5);
  EXPECT_EQ(mean.interval.low, 0.5);
  EXPECT_EQ(mean.interval.high, 0.5);
  const Estimate better = bootstrap_improvement({{0.3, 0.4}}, {{0.1, 0.2}}, Rng(1));
  EXPECT_EQ(better.interval.low, 1);
  EXPECT_EQ(better.interval.high, 1);
}

TEST(Bootstrap, StrataStayApart) {
  // resampled together, the mean would vary
  const Estimate mean = bootstrap({{0}, {100}}, mean_score, Rng(3));
  EXPECT_EQ(mean.interval.low, 50);
  EXPECT_EQ(mean.interval.high, 50);
}

TEST(Bootstrap, CoversTheRightShare) {
  // a fair coin thrown 100 times: the mean's deviation is 0.05
  Scores coin(1);
  for (int i = 0; i < 100; ++i) coin[0].push_back(i % 2);
  const Estimate wide = bootstrap(coin, mean_score, Rng(1)),
                 narrow = bootstrap(coin, mean_score, Rng(1), {.level = 0.5});
  EXPECT_NEAR(wide.interval.low, 0.5 - 1.96 * 0.05, 0.015);
  EXPECT_NEAR(wide.interval.high, 0.5 + 1.96 * 0.05, 0.015);
  EXPECT_NEAR(narrow.interval.high, 0.5 + 0.674 * 0.05, 0.012);
}

TEST(Bootstrap, TheSeedDecidesNotTheThreads) {
  const std::vector<double> taus = {0, 0.1, 0.5, 0.9};
  const auto all = [&](uint64_t seed, int threads) {
    const BootstrapParams params{.resamples = 300, .threads = threads};
    std::vector<double> ends;
    const auto keep = [&](const Estimate& e) { ends.insert(ends.end(), {e.interval.low, e.interval.high}); };
    keep(bootstrap(kFour, mean_score, Rng(seed), params));
    keep(bootstrap(kFour, interquartile_mean, Rng(seed), params));
    keep(bootstrap_improvement(kFour, kFour, Rng(seed), params));
    for (const Estimate& e : performance_profile(kFour, taus, Rng(seed), params)) keep(e);
    return ends;
  };
  EXPECT_EQ(all(5, 1), all(5, 4));
  EXPECT_NE(all(5, 1), all(6, 1));
}

TEST(Bootstrap, ProfileCountsScoresAboveTau) {
  const std::vector<double> taus = {-1, 0, 0.2, 0.8, 1};
  const std::vector<Estimate> profile = performance_profile(kFour, taus, Rng(0), {.resamples = 100});
  const double shares[] = {12 / 12.0, 9 / 12.0, 5 / 12.0, 2 / 12.0, 0};
  for (size_t i = 0; i < taus.size(); ++i) {
    EXPECT_DOUBLE_EQ(profile[i].value, shares[i]) << taus[i];
    EXPECT_LE(profile[i].interval.low, shares[i]);
    EXPECT_GE(profile[i].interval.high, shares[i]);
  }
}

}  // namespace
}  // namespace alps
