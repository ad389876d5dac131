#include "alps/world/maze.h"

#include <array>
#include <deque>
#include <map>

#include "alps/base/error.h"

namespace alps {
namespace {

// the order in which neighbours are visited decides ties, as in OGBench
constexpr std::array<Cell, 4> kNeighbours = {{{-1, 0}, {0, -1}, {1, 0}, {0, 1}}};

std::map<std::string, Maze, std::less<>> make_mazes() {
  Maze medium({
      "########",
      "#..##..#",
      "#..#...#",
      "##...###",
      "#..#...#",
      "#.#..#.#",
      "#...#..#",
      "########",
  });
  medium.tasks = {{{1, 1}, {6, 6}}, {{6, 1}, {1, 6}}, {{5, 3}, {4, 2}}, {{6, 5}, {6, 1}}, {{2, 6}, {1, 1}}};

  Maze large({
      "############",
      "#....#.....#",
      "#.##.#.#.#.#",
      "#......#...#",
      "#.####.###.#",
      "#..#.#.....#",
      "##.#.#.#.###",
      "#..#...#...#",
      "############",
  });
  large.tasks = {{{1, 1}, {7, 10}}, {{5, 4}, {7, 1}}, {{7, 4}, {1, 10}}, {{3, 8}, {5, 4}}, {{1, 1}, {5, 4}}};

  Maze giant({
      "################",
      "#.#......##....#",
      "#.#.##.#.#..##.#",
      "#...#..#...#...#",
      "#.###.######.#.#",
      "#...#...#....#.#",
      "###.#.#..#.#.###",
      "#...#..#...#...#",
      "#.#.#.######.#.#",
      "#.###...#...##.#",
      "#.....#...#....#",
      "################",
  });
  giant.tasks = {{{1, 1}, {10, 14}}, {{1, 14}, {10, 1}}, {{8, 14}, {1, 1}}, {{8, 3}, {5, 12}}, {{5, 9}, {3, 8}}};

  Maze teleport({
      "############",
      "#.....#.#..#",
      "##.#...#..##",
      "##.###.....#",
      "#....#.#.#.#",
      "#.##.#.#.#.#",
      "#.##.#.#.#.#",
      "#....#...#.#",
      "############",
  });
  teleport.tasks = {{{1, 10}, {7, 1}}, {{1, 1}, {7, 10}}, {{5, 6}, {7, 10}}, {{7, 1}, {7, 10}}, {{5, 6}, {7, 1}}};
  teleport.teleport_in = {{4, 6}, {5, 1}};
  teleport.teleport_out = {{1, 7}, {6, 1}, {6, 10}};

  std::map<std::string, Maze, std::less<>> mazes;
  mazes.emplace("medium", std::move(medium));
  mazes.emplace("large", std::move(large));
  mazes.emplace("giant", std::move(giant));
  mazes.emplace("teleport", std::move(teleport));
  return mazes;
}

}  // namespace

const Maze& Maze::named(std::string_view name) {
  static const auto mazes = make_mazes();
  const auto found = mazes.find(name);
  if (found == mazes.end()) throw UsageError("no maze '", name, "'; there are medium, large, giant and teleport");
  return found->second;
}

Maze::Maze(std::vector<std::string> rows) : rows_(std::move(rows)) {
  for (int i = 0; i < height(); ++i) {
    ALPS_CHECK(rows_[i].size() == rows_[0].size());
    for (int j = 0; j < width(); ++j) {
      if (!free({i, j})) continue;
      free_cells_.push_back({i, j});
      const bool north = free({i - 1, j}), south = free({i + 1, j}), west = free({i, j - 1}), east = free({i, j + 1});
      const bool corridor = (north && south && !west && !east) || (!north && !south && west && east);
      if (!corridor) vertex_cells_.push_back({i, j});
    }
  }
  distances_.resize(height() * width());
  for (const Cell goal : free_cells_) distances_[goal.i * width() + goal.j] = search(goal);
}

Cell Maze::cell(Point2 p) const {
  return {static_cast<int>((p.y + kOffset + 0.5 * kUnit) / kUnit),
          static_cast<int>((p.x + kOffset + 0.5 * kUnit) / kUnit)};
}

bool Maze::clear(Point2 p, double reach) const {
  const Cell low = cell(p - Point2{reach, reach}), high = cell(p + Point2{reach, reach});
  for (int i = low.i; i <= high.i; ++i)
    for (int j = low.j; j <= high.j; ++j)
      if (!free({i, j})) return false;
  return true;
}

Point2 Maze::with_noise(Point2 p, Rng& rng) const {
  const double dx = rng.uniform(-1, 1) * kUnit / 4;
  const double dy = rng.uniform(-1, 1) * kUnit / 4;
  return {p.x + dx, p.y + dy};
}

std::vector<int> Maze::search(Cell goal) const {
  std::vector<int> steps(height() * width(), -1);
  steps[goal.i * width() + goal.j] = 0;
  std::deque<Cell> queue = {goal};
  while (!queue.empty()) {
    const Cell at = queue.front();
    queue.pop_front();
    for (const Cell d : kNeighbours) {
      const Cell next = {at.i + d.i, at.j + d.j};
      if (!free(next) || steps[next.i * width() + next.j] != -1) continue;
      steps[next.i * width() + next.j] = steps[at.i * width() + at.j] + 1;
      queue.push_back(next);
    }
  }
  return steps;
}

const std::vector<int>& Maze::distances(Cell goal) const {
  ALPS_CHECK(free(goal));
  return distances_[goal.i * width() + goal.j];
}

Point2 Maze::oracle_subgoal(Point2 from, Point2 goal) const {
  Cell best = cell(from);
  const std::vector<int>& steps = distances(cell(goal));
  for (const Cell d : kNeighbours) {
    const Cell start = cell(from), next = {start.i + d.i, start.j + d.j};
    if (free(next) && steps[next.i * width() + next.j] < steps[best.i * width() + best.j]) best = next;
  }
  return center(best);
}

Point2 Maze::oracle_direction(Point2 from, Point2 goal) const {
  const Point2 way = oracle_subgoal(from, goal) - from;
  return (1.0 / (distance(way, {0, 0}) + 1e-6)) * way;
}

Floorplan Maze::floorplan() const {
  const Point2 half = {kUnit / 2, kUnit / 2};
  Floorplan plan{
      .bounds = {center({0, 0}) - half, center({height() - 1, width() - 1}) + half}, .walls = {}, .marks = {}};
  for (int i = 0; i < height(); ++i)
    for (int j = 0; j < width(); ++j)
      if (!free({i, j})) plan.walls.push_back({center({i, j}) - half, center({i, j}) + half});
  for (const Cell c : teleport_in) plan.marks.push_back({center(c), kTeleportRadius, "teleport_in"});
  for (const Cell c : teleport_out) plan.marks.push_back({center(c), kTeleportRadius, "teleport_out"});
  return plan;
}

}  // namespace alps
