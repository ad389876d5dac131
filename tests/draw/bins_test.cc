#include "alps/draw/bins.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "alps/base/rng.h"

namespace alps {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
const BinGrid kGrid{{{0, 0}, {4, 2}}, 4, 2};

TEST(Bins, FindTheirPoints) {
  EXPECT_EQ(kGrid.find({0.5, 0.5}), 0u);
  EXPECT_EQ(kGrid.find({3.5, 0.5}), 3u);
  EXPECT_EQ(kGrid.find({0.5, 1.5}), 4u);  // rows go up
  EXPECT_EQ(kGrid.find({4, 2}), 7u);      // the border belongs to the last
  EXPECT_EQ(kGrid.find({0, 0}), 0u);
  for (const Point2 outside : {Point2{-0.01, 1}, {4.01, 1}, {1, -1}, {1, 2.01}, {NAN, 1}, {1, INFINITY}})
    EXPECT_FALSE(kGrid.find(outside));
  for (size_t bin = 0; bin < kGrid.size(); bin++) EXPECT_EQ(kGrid.find(kGrid.center(bin)), bin);
}

TEST(Bins, MeansSkipWhatIsNotFinite) {
  const std::vector<Point2> points = {{0.1, 0.1}, {0.9, 0.9}, {0.5, 0.5}, {2.5, 1.5}, {NAN, 0}, {9, 9}, {1.5, 0.5}};
  const std::vector<float> values = {1, 3, kNan, -7, 100, 100, INFINITY};
  const std::vector<float> means = bin_means(kGrid, points, values);
  EXPECT_EQ(means[0], 2);
  EXPECT_EQ(means[6], -7);
  for (const size_t empty : {1, 2, 3, 4, 5, 7}) EXPECT_TRUE(std::isnan(means[empty])) << empty;
}

TEST(Bins, LabelsAreMajorities) {
  const std::vector<Point2> points = {{0.1, 0.1}, {0.2, 0.1}, {0.3, 0.1}, {1.5, 0.5}, {1.6, 0.5}, {2.5, 0.5}};
  const std::vector<int32_t> labels = {7, 3, 7, 9, 4, -1};
  const std::vector<int32_t> found = bin_labels(kGrid, points, labels);
  EXPECT_EQ(found[0], 7);
  EXPECT_EQ(found[1], 4);  // of equals the smallest
  EXPECT_EQ(found[2], -1);
  EXPECT_EQ(found[7], -1);
}

TEST(Bins, HolesBetweenFourAreFilledOnly) {
  const BinGrid grid{{{0, 0}, {5, 3}}, 5, 3};
  std::vector<float> means(15, 1);
  means[5 + 1] = kNan;                  // alone
  means[5 + 3] = means[10 + 3] = kNan;  // two of them: a wall
  fill_holes(grid, means);
  EXPECT_EQ(means[5 + 1], 1);
  EXPECT_TRUE(std::isnan(means[5 + 3]));
  EXPECT_TRUE(std::isnan(means[10 + 3]));

  std::vector<int32_t> labels = {-1, 5,  -1, -1, -1,  //
                                 3,  -1, 5,  -1, 5,   //
                                 -1, 9,  -1, 5,  -1};
  fill_holes(grid, labels);
  EXPECT_EQ(labels[5 + 1], 5);
  EXPECT_EQ(labels[5 + 3], -1);
  EXPECT_EQ(labels[0], -1);
}

TEST(Bins, AsManyAsThePointsCanFill) {
  Rng rng(1);
  std::vector<Point2> points;
  for (int i = 0; i < 100000; i++) points.push_back({rng.uniform(0, 10), rng.uniform(0, 5)});
  const Rect world{{0, 0}, {10, 5}};
  EXPECT_EQ(make_bins(points, world).columns, 160u);
  EXPECT_EQ(make_bins(points, world).rows, 80u);
  EXPECT_EQ(make_bins(points, world, 50).columns, 50u);
  EXPECT_EQ(make_bins({points.data(), 100}, world).columns, 24u);
  EXPECT_EQ(make_bins({}, world).columns, 24u);
}

TEST(Bins, FollowAGridOfStates) {
  // hundredths in single precision, as Maze2D observes them: one bin for each, and none empty
  Rng rng(1);
  std::vector<Point2> points;
  for (int i = 0; i < 100000; i++)
    points.push_back({static_cast<float>(rng.below(100)) / 100.0f, static_cast<float>(rng.below(100)) / 100.0f});
  const BinGrid grid = make_bins(points, {{0, 0}, {1, 1}});
  EXPECT_EQ(grid.columns, 100u);
  EXPECT_EQ(grid.rows, 100u);
  EXPECT_NEAR(grid.center(0).x, 0, 1e-6);
  EXPECT_NEAR(grid.center(grid.size() - 1).y, 0.99, 1e-6);
  const std::vector<float> means = bin_means(grid, points, std::vector<float>(points.size(), 1));
  EXPECT_LT(std::count_if(means.begin(), means.end(), [](float v) { return std::isnan(v); }), 10);
}

TEST(Bins, TheWorldIsThePlanOrABoxAroundThePoints) {
  const Floorplan plan{.bounds = {{0, 0}, {1, 1}}, .walls = {{{1, 0}, {2, 1}}}, .marks = {}};
  EXPECT_EQ(shown_world(plan, {}).high, (Point2{2, 1}));
  const std::vector<Point2> points = {{0, 0}, {10, 5}, {NAN, 3}};
  EXPECT_LT(shown_world({}, points).low.x, 0);
  EXPECT_GT(shown_world({}, points).high.y, 5);
  EXPECT_EQ(shown_world({}, {}).high, (Point2{1, 1}));
  EXPECT_GT(shown_world({}, {points.data(), 1}).high.x, 0);  // a single point has a size too
}

}  // namespace
}  // namespace alps
