// A value over the plane: the distance of each state from a reference, or an eigenfunction of the Laplacian. Scattered
// states are binned (draw/bins.h), each bin takes the colour of its mean, walls lie on top, empty floor stays white.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alps/base/geometry.h"

namespace alps {

struct HeatArrow {
  Point2 from, to;
  std::string label = {};  // at the end
};

struct HeatMapOptions {
  std::string title = {};
  std::string caption = {};
  std::optional<Point2> star = {};  // the reference state
  std::vector<HeatArrow> arrows = {};
  std::string label = {};    // of the colour bar
  bool logarithmic = false;  // colours follow the logarithm; values that are not positive turn grey
  bool diverging = false;    // signed values: colours symmetric around zero; not with logarithmic
  size_t bins = 160;         // along the longer side
  double extent = 640;       // longer side of the plot, in points
};

// points (states), values (states). Values that are not finite are skipped; without a single finite one, or with spans
// of different length, throws Error.
void draw_heat_map(const std::filesystem::path& path, const Floorplan& floorplan, std::span<const Point2> points,
                   std::span<const float> values, const HeatMapOptions& options = {});

struct HeatMapsOptions {
  std::string title = {};
  std::string caption = {};
  std::optional<Point2> star = {};
  std::string label = {};     // of the colour bar
  bool diverging = true;      // as eigenfunctions are
  bool shared_scale = false;  // one scale for all panels; otherwise each has its own, from its smallest to its largest
  size_t bins = 110;          // along the longer side
  double extent = 220;        // longer side of a panel, in points
  bool bar = true;            // the colours explained at the right
};

// The same for several values of the same states: one panel for each element of `columns` (panels)(states), with its
// title (panels), `grid_columns` side by side (0: as many as fit a page).
void draw_heat_maps(const std::filesystem::path& path, const Floorplan& floorplan, std::span<const Point2> points,
                    std::span<const std::vector<float>> columns, std::span<const std::string> titles,
                    size_t grid_columns = 0, const HeatMapsOptions& options = {});

}  // namespace alps
