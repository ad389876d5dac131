// States of a data set as a map shows them, and places that only seem near, on data made by hand.
#include "alps/show/state_sample.h"

#include <gtest/gtest.h>

#include "../base/temp_folder.h"
#include "alps/base/npz.h"
#include "alps/world/maze.h"
#include "../eval/place_model.h"
#include "alps/show/shortcuts.h"

namespace alps {
namespace {

ClusterGraph graph_of(std::vector<float> centers) {
  ClusterGraph graph{.dim = 2, .centers = std::move(centers)};
  graph.sizes.assign(graph.centers.size() / 2, 1);
  graph.passages.assign(graph.sizes.size() * graph.sizes.size(), 0);
  return graph;
}

// walks of 101 rows along x; the first leaps by 40 after half of them
std::filesystem::path write_walks(const TempFolder& folder) {
  constexpr size_t kEpisodes = 6, kRows = 101;
  std::vector<float> observations, actions;
  Array terminals(DType::kBool, {kEpisodes * kRows});
  for (size_t e = 0; e < kEpisodes; ++e)
    for (size_t t = 0; t < kRows; ++t) {
      const bool leapt = e == 0 && t > 50;
      observations.insert(observations.end(), {0.1f * t + (leapt ? 40.0f : 0.0f), 0.05f * t});
      actions.insert(actions.end(), {0.1f, 0.0f});
      terminals.as<bool>()[e * kRows + t] = t + 1 == kRows;
    }
  const auto path = folder / "walks.npz";
  NpzWriter file(path);
  file.add("observations", Array::of<float>({kEpisodes * kRows, 2}, observations));
  file.add("actions", Array::of<float>({kEpisodes * kRows, 2}, actions));
  file.add("terminals", terminals);
  file.finish();
  return path;
}

TEST(StateSample, KnowsPlacesRegionsAndLeaps) {
  const TempFolder folder;
  const Model model = place_model({2, 0, 0, 2});
  const ClusterGraph graph = graph_of({0, 0, 20, 10, 100, 0});
  const StateSample sample = sample_states(load_for_sample(write_walks(folder), model), model, graph, {.states = 100});
  ASSERT_EQ(sample.size(), 100u);
  EXPECT_TRUE(sample.place_is_observed);
  for (size_t i = 0; i < sample.size(); ++i) {
    const auto psi = sample.psi.row<float>(i);
    EXPECT_NEAR(psi[0], 2 * sample.places[i].x, 1e-4);
    EXPECT_EQ(sample.labels[i], graph.nearest(psi));
    EXPECT_EQ(sample.nearest(sample.places[i]), sample.nearest(std::span<const float>(psi)));
  }
  const auto nodes = sample.nodes(graph);
  for (size_t c = 0; c < 3; ++c) EXPECT_EQ(sample.labels[nodes[c]], static_cast<int>(c));

  ASSERT_EQ(sample.leaps.size(), 1u);
  EXPECT_EQ(sample.leaps[0].count, 1u);
  EXPECT_NEAR(sample.leaps[0].from.x, 5.0, 1e-4);
  EXPECT_NEAR(sample.leaps[0].to.x, 45.1, 1e-4);
  EXPECT_EQ(sample.leaps[0].to_cluster, 2);
  EXPECT_NEAR(sample.leaps[0].from_psi[0], 10.0, 1e-4);
  EXPECT_EQ(sample.leap_count, 1u);
  ASSERT_EQ(sample.walks.size(), 7u);  // six episodes, one of them cut
  EXPECT_EQ(sample.walks[0].last, 50u);
}

// a corridor that turns back on itself: rows 1 and 3 lie beside each other, 16 cells apart on foot
TEST(Shortcuts, AreWhatPsiHoldsNearAndFeetDoNot) {
  const Maze maze({"##########", "#........#", "########.#", "#........#", "##########"});
  StateSample sample;
  std::vector<size_t> nodes;
  std::vector<float> on_foot, as_seen;
  for (const Cell c : maze.free_cells()) {
    nodes.push_back(sample.places.size());
    sample.rows.push_back(sample.places.size());
    sample.places.push_back(maze.center(c));
    const int walked = maze.distances({1, 1})[c.i * maze.width() + c.j];
    on_foot.insert(on_foot.end(), {static_cast<float>(walked), 0.0f});
    as_seen.insert(as_seen.end(), {static_cast<float>(c.j), 0.1f * c.i});  // the wall between the rows is not seen
  }
  sample.psi = Array::of<float>({sample.size(), 2}, on_foot);
  EXPECT_TRUE(shortcuts(maze, sample, nodes).empty());

  sample.psi = Array::of<float>({sample.size(), 2}, as_seen);
  const auto found = shortcuts(maze, sample, nodes);
  ASSERT_FALSE(found.empty());
  for (const Shortcut& s : found) {
    EXPECT_GE(s.cells, 6);
    EXPECT_LE(s.looks_like, 2);
    EXPECT_NE(maze.cell(sample.places[s.from]).i, maze.cell(sample.places[s.to]).i);
  }
}

}  // namespace
}  // namespace alps
