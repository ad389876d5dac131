#include "alps/base/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace alps {
namespace {

// xoshiro256++ with its reference seeding, from the authors' C code (splitmix64.c, xoshiro256plusplus.c) with seed 0
TEST(Rng, IsTheReferenceGenerator) {
  Rng rng(0);
  const uint64_t expected[] = {0x53175d61490b23df, 0x61da6f3dc380d507, 0x5c0fdf91ec9a7bfc};
  for (const uint64_t value : expected) EXPECT_EQ(rng.next(), value);
}

TEST(Rng, SameSeedSameStream) {
  Rng a(5), b(5), c(6);
  size_t equal = 0;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t value = a.next();
    EXPECT_EQ(value, b.next());
    equal += value == c.next();
  }
  EXPECT_EQ(equal, 0u);
}

TEST(Rng, StateRestoresEverything) {
  Rng a(5);
  a.normal();  // leaves a spare
  const Rng::State state = a.state();
  Rng b(99);
  b.set_state(state);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(a.normal(), b.normal());
  EXPECT_EQ(a.fork(3).next(), b.fork(3).next());
}

// bounds are five standard errors of the estimate
TEST(Rng, UniformMoments) {
  Rng rng(1);
  constexpr int n = 400'000;
  double sum = 0, squares = 0, low = 1, high = 0;
  for (int i = 0; i < n; ++i) {
    const double x = rng.uniform();
    sum += x, squares += x * x;
    low = std::min(low, x), high = std::max(high, x);
  }
  EXPECT_NEAR(sum / n, 0.5, 5 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(squares / n, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / n));
  EXPECT_GE(low, 0.0);
  EXPECT_LT(high, 1.0);
  EXPECT_LT(low, 1e-4);
  EXPECT_GT(high, 1 - 1e-4);
}

TEST(Rng, NormalMoments) {
  Rng rng(2);
  constexpr int n = 400'000;
  double m1 = 0, m2 = 0, m3 = 0, m4 = 0;
  for (int i = 0; i < n; ++i) {
    const double x = rng.normal();
    m1 += x, m2 += x * x, m3 += x * x * x, m4 += x * x * x * x;
  }
  EXPECT_NEAR(m1 / n, 0, 5 * std::sqrt(1.0 / n));
  EXPECT_NEAR(m2 / n, 1, 5 * std::sqrt(2.0 / n));
  EXPECT_NEAR(m3 / n, 0, 5 * std::sqrt(15.0 / n));
  EXPECT_NEAR(m4 / n, 3, 5 * std::sqrt(96.0 / n));
}

TEST(Rng, BelowIsEven) {
  Rng rng(3);
  constexpr int n = 70'000, sides = 7;
  std::vector<int> counts(sides);
  for (int i = 0; i < n; ++i) ++counts.at(rng.below(sides));
  for (const int count : counts) EXPECT_NEAR(count, n / sides, 5 * std::sqrt(n / sides));
  EXPECT_EQ(rng.below(1), 0u);
}

TEST(Rng, ForksDoNotDependOnWhatWasDrawn) {
  Rng drawn(4);
  for (int i = 0; i < 10; ++i) drawn.normal();
  EXPECT_EQ(drawn.fork(7).next(), Rng(4).fork(7).next());
}

TEST(Rng, ForksAreIndependent) {
  // no stream starts like another, its parent's or another parent's
  std::set<uint64_t> firsts = {Rng(4).next()};
  for (uint64_t i = 0; i < 10'000; ++i) {
    EXPECT_TRUE(firsts.insert(Rng(4).fork(i).next()).second);
    EXPECT_TRUE(firsts.insert(Rng(5).fork(i).next()).second);
  }
  // neighbours do not move together
  Rng a = Rng(4).fork(0), b = Rng(4).fork(1);
  constexpr int n = 100'000;
  double product = 0;
  for (int i = 0; i < n; ++i) product += a.normal() * b.normal();
  EXPECT_NEAR(product / n, 0, 5 * std::sqrt(1.0 / n));
}

}  // namespace
}  // namespace alps
