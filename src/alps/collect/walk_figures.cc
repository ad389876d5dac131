#include "alps/collect/walk_figures.h"

#include <array>
#include <set>

#include "alps/world/direction_env.h"

namespace alps {
namespace {

constexpr size_t kQuaternion = 3;  // of an ant's observation

bool on_back(std::span<const float> row) {
  const std::array<double, 4> q = {row[kQuaternion], row[kQuaternion + 1], row[kQuaternion + 2], row[kQuaternion + 3]};
  return uprightness(q) < 0;
}

}  // namespace

WalkFigures walk_figures(const Dataset& data, const Maze& maze, bool ant) {
  WalkFigures f{.cells = maze.free_cells().size()};
  std::set<int> visited;
  size_t backs = 0, backs_at_end = 0, strides = 0;
  for (const Episode& e : data.episodes) {
    Point2 before;
    for (size_t i = e.first; i <= e.last; ++i) {
      const auto row = data.observations.row<float>(i);
      const Point2 at{row[0], row[1]};
      const Cell c = maze.cell(at);
      if (maze.free(c)) visited.insert(c.i * maze.width() + c.j);
      if (i > e.first) f.stride += distance(before, at), ++strides;
      before = at;
      if (ant && on_back(row)) ++backs, backs_at_end += i == e.last;
    }
  }
  f.visited = visited.size();
  f.stride /= static_cast<double>(std::max<size_t>(strides, 1));
  f.on_back = static_cast<double>(backs) / static_cast<double>(data.rows());
  f.on_back_at_end = static_cast<double>(backs_at_end) / static_cast<double>(data.episodes.size());
  return f;
}

}  // namespace alps
