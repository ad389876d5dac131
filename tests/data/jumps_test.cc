#include "alps/data/jumps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "alps/base/rng.h"

namespace alps {
namespace {

using Column = std::vector<float>;

Array side_by_side(const std::vector<Column>& columns) {
  Array out(DType::kFloat32, {columns[0].size(), columns.size()});
  for (size_t row = 0; row < columns[0].size(); ++row)
    for (size_t k = 0; k < columns.size(); ++k) out.as<float>()[row * columns.size() + k] = columns[k][row];
  return out;
}

// a random walk that leaps before some rows
Column walk(size_t rows, const std::vector<size_t>& leaps, double length = 50, uint64_t seed = 3) {
  Rng rng(seed);
  Column out;
  double x = 0;
  for (size_t row = 0; row < rows; ++row) {
    x += 0.2 * rng.normal();
    if (std::ranges::count(leaps, row)) x += length;
    out.push_back(static_cast<float>(x));
  }
  return out;
}

// a switch that is nearly always still
Column lever(size_t rows) {
  Column out(rows, 0.0f);
  std::fill(out.begin() + rows / 2, out.end(), 1.0f);
  return out;
}

TEST(Jumps, EpisodesAreCutAtLeapsOnly) {
  const std::vector<Episode> episodes = {{0, 499}, {500, 999}};
  const ObservationRows rows = side_by_side({walk(1000, {100, 101, 700}), lever(1000)});
  const Leaps leaps = find_leaps(rows, episodes);
  EXPECT_EQ(leaps.rows, (std::vector<size_t>{99, 100, 699}));
  EXPECT_TRUE(std::isinf(leaps.limits[1]));
  const auto parts = cut_after(episodes, leaps.rows);
  ASSERT_EQ(parts.size(), 5u);
  EXPECT_EQ(parts[0].last, 99u);
  EXPECT_EQ(parts[1].first, 100u);
  EXPECT_EQ(parts[1].last, 100u);  // a row between two leaps stays, with no transition
  EXPECT_EQ(parts[2].last, 499u);
  EXPECT_EQ(parts[3].last, 699u);
  EXPECT_EQ(parts[4].last, 999u);
}

TEST(Jumps, OrdinaryMotionIsLeftWhole) {
  EXPECT_TRUE(find_leaps(side_by_side({walk(1000, {})}), {{0, 999}}).rows.empty());
  // a leap between two episodes is none
  const std::vector<Episode> episodes = {{0, 499}, {500, 999}};
  const Leaps between = find_leaps(side_by_side({walk(1000, {500})}), episodes);
  EXPECT_TRUE(between.rows.empty());
  EXPECT_EQ(cut_after(episodes, between.rows).size(), 2u);
}

// ordinary is what 99 % of the steps stay within: strides that come once in sixty steps are motion, however small the
// median step is
TEST(Jumps, RareStridesAreNoLeaps) {
  Column x = {0};
  for (size_t step = 1; step < 6000; ++step) x.push_back(x.back() + (step % 60 == 0 ? 0.3f : 0.01f));
  const Leaps leaps = find_leaps(side_by_side({x}), {{0, 5999}});
  EXPECT_NEAR(leaps.limits[0], 3.0, 0.01);  // ten of the strides
  EXPECT_TRUE(leaps.rows.empty());
}

TEST(Jumps, FactorIsInUnitsOfOrdinarySteps) {
  Column x = {0};
  for (size_t step = 1; step < 6000; ++step) x.push_back(x.back() + (step == 3000 ? 1.5f : 0.1f));
  const ObservationRows rows = side_by_side({x});
  EXPECT_EQ(find_leaps(rows, {{0, 5999}}, 10).rows, std::vector<size_t>{2999});
  EXPECT_TRUE(find_leaps(rows, {{0, 5999}}, 20).rows.empty());
}

// joint angles and velocities whip about: an outlier among them is no leap
TEST(Jumps, OnlySlowColumnsLeap) {
  Column noise;
  Rng rng(5);
  for (size_t row = 0; row < 2000; ++row) noise.push_back(static_cast<float>(rng.normal()));
  noise[1000] = 500;
  const ObservationRows rows = side_by_side({noise, walk(2000, {300})});
  const std::vector<ColumnMotion> motion = column_motion(rows, {{0, 1999}});
  EXPECT_FALSE(motion[0].slow());
  EXPECT_TRUE(motion[1].slow());
  EXPECT_EQ(find_leaps(rows, {{0, 1999}}).rows, std::vector<size_t>{299});
}

TEST(Jumps, LeapsAreRareOrNone) {
  // each column leaps in 0.9 % of the steps; two together leap in 1.8 %, three in 2.7 %
  std::vector<Column> columns;
  for (size_t k = 0; k < 3; ++k) {
    std::vector<size_t> leaps;
    for (size_t i = 0; i < 36; ++i) leaps.push_back(20 + 110 * i + 10 * k);
    columns.push_back(walk(4000, leaps, 50, 3 + k));
  }
  const std::vector<Episode> whole = {{0, 3999}};
  EXPECT_EQ(find_leaps(side_by_side({columns[0], columns[1]}), whole).rows.size(), 72u);
  EXPECT_TRUE(find_leaps(side_by_side(columns), whole).rows.empty());
}

TEST(Jumps, ImagesHaveNone) {
  EXPECT_TRUE(find_leaps(Array::of<uint8_t>({3, 1, 1, 1}, std::vector<uint8_t>{0, 255, 0}), {{0, 2}}).rows.empty());
}

TEST(Jumps, PlacesOnAMapLeapByTheSameMeasure) {
  const std::vector<Episode> episodes = {{0, 499}, {500, 999}};
  const Column x = walk(1000, {100, 700}), y = walk(1000, {200}, 50, 4);
  const auto place = [&](size_t row) { return Point2{x[row], y[row]}; };
  const Point2 limit = leap_limit(place, episodes);
  EXPECT_EQ(place_leaps(place, episodes, limit), (std::vector<size_t>{99, 199, 699}));
  EXPECT_EQ(place_leaps(place, episodes, limit), find_leaps(side_by_side({x, y}), episodes).rows);
  EXPECT_TRUE(is_leap({0, 0}, {0, -limit.y - 0.1}, limit));
  EXPECT_FALSE(is_leap({0, 0}, {-limit.x + 0.1, limit.y - 0.1}, limit));
  EXPECT_EQ(leap_limit([](size_t) { return Point2{1, 2}; }, episodes), kNoLeaps);  // nothing moves
}

// places on a map: the same share of steps is ordinary, and a direction in which nothing moves has no leaps
TEST(Jumps, PlacesLeapBeyondTenOfTheirStrides) {
  std::vector<Point2> places = {{0, 7}};
  for (size_t step = 1; step < 6000; ++step)
    places.push_back({places.back().x + (step == 3000 ? 20 : step % 60 == 0 ? 0.3 : 0.01), 7});
  const PlaceOf place = [&](size_t row) { return places[row]; };
  const std::vector<Episode> episodes = {{0, 4999}, {5000, 5999}};
  const Point2 limit = leap_limit(place, episodes);
  EXPECT_NEAR(limit.x, 3.0, 0.01);
  EXPECT_TRUE(std::isinf(limit.y));
  EXPECT_EQ(place_leaps(place, episodes, limit), (std::vector<size_t>{2999}));
  EXPECT_TRUE(std::isinf(leap_limit(place, {{0, 0}}).x));
}

}  // namespace
}  // namespace alps
