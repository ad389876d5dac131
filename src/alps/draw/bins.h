// Scattered states to a grid of bins, the first step of every map. A million points become some 20,000 means or
// majorities. Worlds whose states lie on a grid of their own (Maze2D: hundredths) get one bin per grid point, as any
// other grid would leave stripes. Points and values that are not finite are skipped.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "alps/base/geometry.h"

namespace alps {

struct BinGrid {
  Rect rect;
  size_t columns = 0, rows = 0;

  size_t size() const { return columns * rows; }
  std::optional<size_t> find(Point2 p) const;  // row by row from the bottom; nothing outside the rectangle
  Point2 center(size_t bin) const;
};

// the walls of the plan or, without any, a box around the points with a little air
Rect shown_world(const Floorplan& floorplan, std::span<const Point2> points);

// `longest`: bins along the longer side of the world; few points get fewer, so that most bins still hold one
BinGrid make_bins(std::span<const Point2> points, Rect world, size_t longest = 160);

// both as long as the grid; not-a-number and -1 where there is no state
std::vector<float> bin_means(const BinGrid& grid, std::span<const Point2> points, std::span<const float> values);
// the most frequent label, of equals the smallest; negative labels are skipped
std::vector<int32_t> bin_labels(const BinGrid& grid, std::span<const Point2> points, std::span<const int32_t> labels);

// An empty bin between four others is a place that nobody happened to visit; walls are never that small. It gets the
// mean of the four, or the most frequent of their labels.
void fill_holes(const BinGrid& grid, std::span<float> means);
void fill_holes(const BinGrid& grid, std::span<int32_t> labels);

}  // namespace alps
