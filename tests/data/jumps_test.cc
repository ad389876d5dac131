#include "alps/data/jumps.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "alps/base/rng.h"

namespace alps {
namespace {

// two columns: a random walk, and a switch that is nearly always still
Array walk(size_t rows, const std::vector<size_t>& leaps) {
  Rng rng(3);
  Array out(DType::kFloat32, {rows, 2});
  double x = 0;
  for (size_t row = 0; row < rows; ++row) {
    x += 0.2 * rng.normal();
    if (std::count(leaps.begin(), leaps.end(), row)) x += 50;
    out.as<float>()[2 * row] = static_cast<float>(x);
    out.as<float>()[2 * row + 1] = row > rows / 2 ? 1.0f : 0.0f;
  }
  return out;
}

TEST(Jumps, EpisodesAreCutAtLeapsOnly) {
  const Array data = walk(1000, {100, 101, 700});
  const auto parts = split_at_jumps(data, {{0, 499}, {500, 999}}, 10);
  ASSERT_EQ(parts.size(), 5u);
  EXPECT_EQ(parts[0].last, 99u);
  EXPECT_EQ(parts[1].first, 100u);
  EXPECT_EQ(parts[1].last, 100u);  // a row between two leaps stays, with no transition
  EXPECT_EQ(parts[2].last, 499u);
  EXPECT_EQ(parts[3].last, 699u);
  EXPECT_EQ(parts[4].last, 999u);
}

TEST(Jumps, OrdinaryMotionIsLeftWhole) {
  EXPECT_EQ(split_at_jumps(walk(1000, {}), {{0, 999}}, 10).size(), 1u);
  // a leap between two episodes is none
  EXPECT_EQ(split_at_jumps(walk(1000, {500}), {{0, 499}, {500, 999}}, 10).size(), 2u);
}

}  // namespace
}  // namespace alps
