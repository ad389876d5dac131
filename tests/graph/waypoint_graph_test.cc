#include "alps/graph/waypoint_graph.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "alps/base/error.h"
#include "alps/base/npz.h"
#include "alps/base/rng.h"

namespace alps {
namespace {

// the definition, row by row
std::vector<float> waypoints_one_by_one(const std::vector<float>& rows, size_t dim, double radius) {
  std::vector<std::vector<float>> first, sums;
  std::vector<int> counts;
  for (size_t i = 0; i < rows.size() / dim; ++i) {
    size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (size_t c = 0; c < first.size(); ++c) {
      double d = 0;
      for (size_t k = 0; k < dim; ++k) d += std::pow(rows[i * dim + k] - first[c][k], 2);
      if (d < least) {
        least = d;
        best = c;
      }
    }
    if (std::sqrt(least) > radius) {
      best = first.size();
      first.emplace_back(&rows[i * dim], &rows[i * dim] + dim);
      sums.emplace_back(dim);
      counts.push_back(0);
    }
    ++counts[best];
    for (size_t k = 0; k < dim; ++k) sums[best][k] += rows[i * dim + k];
  }
  std::vector<float> means;
  for (size_t c = 0; c < sums.size(); ++c)
    for (const float sum : sums[c]) means.push_back(sum / static_cast<float>(counts[c]));
  return means;
}

TEST(WaypointMaker, FollowsItsDefinitionHoweverRowsAreShown) {
  Rng rng(1);
  std::vector<float> rows(3 * 9000);
  for (float& x : rows) x = static_cast<float>(rng.uniform(0, 10));
  const std::vector<float> expected = waypoints_one_by_one(rows, 3, 2);
  WaypointMaker whole(3, 2), pieces(3, 2);
  whole.add(rows);
  for (size_t begin = 0; begin < rows.size(); begin += 3 * 700)
    pieces.add(std::span(rows).subspan(begin, std::min<size_t>(3 * 700, rows.size() - begin)), 2);
  ASSERT_EQ(3 * whole.size(), expected.size());
  EXPECT_GT(whole.size(), 50u);
  const std::vector<float> means = whole.means(), again = pieces.means();
  EXPECT_EQ(means, again);
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(means[i], expected[i], 1e-3);
}

// five points on a line and one beside it: 0 1 2 3, a gap, 6; reach 1.5
WaypointGraph line() { return join_waypoints(2, {0, 0, 1, 0, 2, 0, 3, 0, 6, 0, 1, 1}, 1.5); }

std::vector<int32_t> joined(const WaypointGraph& graph, size_t i) {
  return {graph.neighbours.begin() + graph.starts[i], graph.neighbours.begin() + graph.starts[i + 1]};
}

TEST(WaypointGraph, JoinsWhatIsWithinReachAndThePartsWhereTheyAreNearest) {
  const WaypointGraph graph = line();
  EXPECT_EQ(joined(graph, 0), (std::vector<int32_t>{1, 5}));
  EXPECT_EQ(joined(graph, 1), (std::vector<int32_t>{0, 2, 5}));
  EXPECT_EQ(joined(graph, 3), (std::vector<int32_t>{2, 4}));  // over the gap
  EXPECT_EQ(joined(graph, 4), (std::vector<int32_t>{3}));
  // three parts, each alone: joined in a chain by its nearest ends
  const WaypointGraph far = join_waypoints(1, {0, 10, 11, 30}, 2);
  EXPECT_EQ(joined(far, 0), (std::vector<int32_t>{1}));
  EXPECT_EQ(joined(far, 3), (std::vector<int32_t>{2}));
  EXPECT_EQ(join_waypoints(1, {4}, 2).starts, (std::vector<int32_t>{0, 0}));
}

TEST(WaysTo, AreTheShortestOnes) {
  const WaypointGraph graph = line();
  const WaysTo ways(graph, std::vector<float>{6.5f, 0});
  EXPECT_EQ(ways.way(0), (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_NEAR(ways.length(0), 6.5, 1e-6);
  EXPECT_EQ(ways.way(5), (std::vector<int>{5, 2, 3, 4}));
  EXPECT_NEAR(ways.length(5), std::sqrt(2.0) + 4.5, 1e-6);
  EXPECT_EQ(ways.way(4), (std::vector<int>{4}));
  // a goal far from all waypoints is joined to the nearest, and to those a fifth further
  const WaysTo beyond(graph, std::vector<float>{30, 0});
  EXPECT_EQ(beyond.way(3), (std::vector<int>{3}));  // 27 <= 1.2 * 24
  EXPECT_EQ(beyond.way(0), (std::vector<int>{0, 1, 2}));
}

TEST(WaysTo, BeginWhereTheWholeWayIsShortest) {
  const WaypointGraph graph = line();
  const WaysTo ways(graph, std::vector<float>{6.5f, 0});
  // 0, 1, 2 and 5 are within reach: 1 is nearest, but by 2 it is shortest
  EXPECT_EQ(ways.begin(graph, std::vector<float>{1.2f, 0}, false), 2);
  EXPECT_EQ(ways.begin(graph, std::vector<float>{0.9f, 0.9f}, false), 2);
  const std::vector<float> away = {-5, 0};
  EXPECT_EQ(ways.begin(graph, away, false), std::nullopt);
  EXPECT_EQ(ways.begin(graph, away, true), 0);
}

class WaypointFile : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  const std::filesystem::path path_ = std::filesystem::temp_directory_path() / str("alps-waypoints-", getpid(), ".npz");
};

TEST_F(WaypointFile, ComesBackAndIsChecked) {
  const WaypointGraph graph = line();
  save_waypoints(path_, graph);
  const WaypointGraph read = load_waypoints(path_);
  EXPECT_EQ(read.nodes, graph.nodes);
  EXPECT_EQ(read.starts, graph.starts);
  EXPECT_EQ(read.neighbours, graph.neighbours);
  EXPECT_EQ(read.reach, graph.reach);
  EXPECT_EQ(read.dim, 2u);
  for (const int damage : {0, 1, 2, 3}) {
    WaypointGraph broken = graph;
    if (damage == 0) broken.neighbours[2] = 6;
    if (damage == 1) broken.starts.back() -= 1;
    if (damage == 2) broken.nodes[3] = std::nanf("");
    if (damage == 3) broken.reach = 0;
    save_waypoints(path_, broken);
    EXPECT_THROW(load_waypoints(path_), Error) << damage;
  }
  std::filesystem::remove(path_);
  EXPECT_THROW(load_waypoints(path_), Error);
}

}  // namespace
}  // namespace alps
