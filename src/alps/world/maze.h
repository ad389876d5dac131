// The grid under OGBench's mazes: walls and free cells, the five tasks, teleports, and breadth-first distances over
// free cells (the oracle that data makers follow). Cell (i, j) is row i, column j; its centre lies at
// x = 4 j - 4, y = 4 i - 4.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "alps/base/geometry.h"
#include "alps/base/rng.h"

namespace alps {

struct Cell {
  int i = 0, j = 0;
  friend bool operator==(Cell, Cell) = default;
};

class Maze {
 public:
  static constexpr double kUnit = 4.0;    // side of a cell
  static constexpr double kOffset = 4.0;  // cell (1, 1) is centred on the origin
  static constexpr double kTeleportRadius = 1.0;

  // "medium", "large", "giant" or "teleport"
  static const Maze& named(std::string_view name);
  // rows of '#' (wall) and '.' (free); a border of walls is expected
  explicit Maze(std::vector<std::string> rows);

  int height() const { return static_cast<int>(rows_.size()); }
  int width() const { return static_cast<int>(rows_[0].size()); }
  bool inside(Cell c) const { return c.i >= 0 && c.j >= 0 && c.i < height() && c.j < width(); }
  bool free(Cell c) const { return inside(c) && rows_[c.i][c.j] == '.'; }
  Point2 center(Cell c) const { return {c.j * kUnit - kOffset, c.i * kUnit - kOffset}; }
  Cell cell(Point2 p) const;
  bool clear(Point2 p, double reach) const;     // no wall in the square of this half width around p, a place inside
  Point2 with_noise(Point2 p, Rng& rng) const;  // uniform within a quarter of a cell

  const std::vector<Cell>& free_cells() const { return free_cells_; }
  // free cells where a path may turn, end or fork: all but straight corridors
  const std::vector<Cell>& vertex_cells() const { return vertex_cells_; }
  // steps over free cells from every cell to the free cell `goal`, row-major; -1 where there is no way
  const std::vector<int>& distances(Cell goal) const;
  // centre of the neighbouring cell that is nearest to the goal; the own cell's centre when none is nearer
  Point2 oracle_subgoal(Point2 from, Point2 goal) const;
  // the unit vector towards it, which data makers command their experts
  Point2 oracle_direction(Point2 from, Point2 goal) const;

  std::vector<std::pair<Cell, Cell>> tasks;  // (start, goal)
  std::vector<Cell> teleport_in, teleport_out;
  Floorplan floorplan() const;

 private:
  std::vector<int> search(Cell goal) const;  // breadth first

  std::vector<std::string> rows_;
  std::vector<Cell> free_cells_, vertex_cells_;
  std::vector<std::vector<int>> distances_;  // by goal cell, row-major; computed once, as mazes are small
};

}  // namespace alps
