// Waypoints of data made by hand: walkers along a line, some of whom turn round on the way. tests/cli/test_baselines.py
// compares the waypoints of a trained run with NumPy's.
#include "alps/run/waypoints.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "place_model.h"

namespace alps {
namespace {

constexpr size_t kEpisodes = 40, kRows = 60;

// along x at one step a row, each at a height of its own; in odd episodes to and fro, above x = 100
Dataset walks() {
  Dataset data;
  data.path = "walks.npz";
  data.observation_shape = {2};
  std::vector<float> states;
  for (size_t e = 0; e < kEpisodes; ++e) {
    for (size_t t = 0; t < kRows; ++t) {
      const float x = e % 2 ? 100.0f + static_cast<float>(t % 2) : static_cast<float>(t);
      states.insert(states.end(), {x, 0.01f * static_cast<float>(e)});
    }
    data.episodes.push_back({e * kRows, (e + 1) * kRows - 1});
  }
  const size_t rows = kEpisodes * kRows;
  data.observations = Array::of<float>({rows, 2}, states);
  data.actions = Array::of<float>({rows, 1}, std::vector<float>(rows));
  return data;
}

Bundle bundle() {
  Bundle b = place_model({1, 0, 0, 1}).bundle();
  b.leave("phi", b.network("representation"), "state -> latent");
  b.forget("representation");
  b.vectors["actions.limit"] = {1};
  return b;
}

TEST(Waypoints, StandForStatesOfAllEpisodesThatGetOn) {
  std::string said;
  const WaypointGraph graph = make_waypoints(
      bundle(), walks(),
      {.way_distance = 6, .efficiency = 0.9, .threads = 1, .say = [&](const std::string& line) { said += line; }});
  EXPECT_EQ(graph.dim, 2u);
  EXPECT_EQ(graph.reach, 6);
  // along 0 .. 59, each more than three from the one before; where walkers went to and fro, only their last rows, at
  // one place
  size_t beside = 0;
  for (size_t i = 0; i < graph.size(); ++i) beside += graph.node(i)[0] > 90;
  EXPECT_EQ(beside, 1u);
  EXPECT_GE(graph.size() - beside, 13u);
  EXPECT_LE(graph.size() - beside, 20u);
  EXPECT_NE(said.find("waypoints of"), std::string::npos);
  // a way from one end to the other over all episodes
  const WaysTo ways(graph, std::vector<float>{59, 0});
  const auto start = ways.begin(graph, std::vector<float>{0, 0.39f}, false);
  ASSERT_TRUE(start);
  EXPECT_GE(ways.way(*start).size(), 8u);
  EXPECT_EQ(graph.nodes, make_waypoints(bundle(), walks(), {.way_distance = 6, .efficiency = 0.9, .threads = 3}).nodes);
}

TEST(Waypoints, LieFurtherApartWhereThereWouldBeTooMany) {
  const WaypointGraph many = make_waypoints(bundle(), walks(), {.way_distance = 2, .threads = 1});
  EXPECT_GT(many.size(), 20u);
  const WaypointGraph few = make_waypoints(bundle(), walks(), {.way_distance = 2, .threads = 1, .most = 20});
  EXPECT_LE(few.size(), 20u);
  EXPECT_GT(few.size(), 5u);
  EXPECT_GT(few.reach, 2);
}

}  // namespace
}  // namespace alps
