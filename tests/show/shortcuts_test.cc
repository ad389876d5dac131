#include "alps/show/shortcuts.h"

#include <gtest/gtest.h>

#include "alps/world/maze.h"

namespace alps {
namespace {

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
