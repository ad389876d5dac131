#include "alps/data/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace alps {
namespace {

const std::vector<Episode> kEpisodes = {{0, 9}, {10, 10}, {11, 13}};  // 9, 0 and 2 transitions

TEST(Sampler, Counts) {
  const Sampler sampler(kEpisodes);
  EXPECT_EQ(sampler.rows(), 14u);
  EXPECT_EQ(sampler.transitions(), 11u);
  EXPECT_EQ(sampler.longest(), 9u);
  EXPECT_EQ(sampler.windows_of(3), 7u);
  EXPECT_EQ(sampler.windows_of(10), 0u);
}

size_t end_of(size_t row) { return row <= 9 ? 9 : row == 10 ? 10 : 13; }

TEST(Sampler, PairsStayInTheirEpisodeAndFollowTheTruncatedGeometric) {
  const Sampler sampler(kEpisodes);
  Rng rng(3);
  const size_t n = 200'000;
  const double gamma = 0.6;
  const RowPairs pairs = sampler.pairs(rng, n, gamma);
  std::map<size_t, double> starts;
  std::map<size_t, double> from_seven;  // two steps remain there
  std::map<size_t, double> from_zero;
  for (size_t i = 0; i < n; ++i) {
    ASSERT_GT(pairs.to[i], pairs.from[i]);
    ASSERT_LE(pairs.to[i], end_of(pairs.from[i]));
    starts[pairs.from[i]] += 1.0 / n;
    if (pairs.from[i] == 7) from_seven[pairs.to[i] - 7] += 1;
    if (pairs.from[i] == 0) from_zero[pairs.to[i]] += 1;
  }
  EXPECT_EQ(starts.size(), 11u);
  for (const auto& [row, share] : starts) EXPECT_NEAR(share, 1.0 / 11, 0.005) << row;
  EXPECT_NEAR(from_seven[1] / (from_seven[1] + from_seven[2]), 1 / (1 + gamma), 0.02);
  double count = 0;
  for (const auto& [d, c] : from_zero) count += c;
  const double mass = (1 - std::pow(gamma, 9)) / (1 - gamma);
  for (size_t d = 1; d <= 5; ++d) EXPECT_NEAR(from_zero[d] / count, std::pow(gamma, d - 1) / mass, 0.02) << d;
}

TEST(Sampler, UniformWindowsAndGoals) {
  const Sampler sampler(kEpisodes);
  Rng rng(5);
  std::map<size_t, int> rows;
  for (size_t row : sampler.uniform(rng, 20'000)) rows[row]++;
  EXPECT_EQ(rows.size(), 14u);
  for (size_t row : sampler.windows(rng, 5'000, 2)) EXPECT_TRUE(row <= 7 || row == 11) << row;
  const RowPairs goals = sampler.goals(rng, 20'000, 4);
  std::map<size_t, int> ahead;
  for (size_t i = 0; i < goals.from.size(); ++i) {
    ASSERT_LE(goals.to[i], end_of(goals.from[i]));
    if (goals.from[i] == 1) ahead[goals.to[i] - 1]++;
  }
  EXPECT_EQ(ahead.size(), 4u);
  for (const auto& [k, count] : ahead) EXPECT_NEAR(count, 20'000.0 / 11 / 4, 100) << k;
}

// a prior that may take its own state for the goal learns to stand still
TEST(Sampler, AGoalIsNeverTheStateItself) {
  const Sampler sampler(kEpisodes);
  Rng rng(7);
  for (const size_t horizon : {1u, 2u, 4u, 100u}) {
    const RowPairs goals = sampler.goals(rng, 5'000, horizon);
    size_t least = 1000, most = 0;
    for (size_t i = 0; i < goals.from.size(); ++i) {
      ASSERT_GT(goals.to[i], goals.from[i]);
      ASSERT_LE(goals.to[i], end_of(goals.from[i]));
      least = std::min(least, goals.to[i] - goals.from[i]);
      most = std::max(most, goals.to[i] - goals.from[i]);
    }
    EXPECT_EQ(least, 1u);
    EXPECT_EQ(most, std::min<size_t>(horizon, 9));  // the goal at the horizon is drawn, and that at an episode's end
  }
}

TEST(Sampler, IsAFunctionOfTheGenerator) {
  const Sampler sampler(kEpisodes);
  for (uint64_t step : {0u, 17u}) {
    Rng one = Rng(9).fork(step), two = Rng(9).fork(step);
    EXPECT_EQ(sampler.pairs(one, 100, 0.6).to, sampler.pairs(two, 100, 0.6).to);
    EXPECT_EQ(sampler.uniform(one, 100), sampler.uniform(two, 100));
  }
}

TEST(Sampler, GeometricEdges) {
  Rng rng(1);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(truncated_geometric(rng, 0.0, 5), 1u);
    EXPECT_EQ(truncated_geometric(rng, 0.9999, 1), 1u);
    EXPECT_LE(truncated_geometric(rng, 0.9999, 1'000'000), 1'000'000u);
  }
}

}  // namespace
}  // namespace alps
