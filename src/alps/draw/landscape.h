// The distance landscape: the height of a surface over the plane is the distance of a place from the reference state,
// as the planner's costs see it. A good map has one valley and slopes that follow the corridors (paper,
// fig:spiral_viz). States are binned (draw/bins.h), bins that touch become faces, walls and unvisited places stay
// holes; seen obliquely in parallel projection from the side where the surface is low, painted from back to front.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "alps/base/geometry.h"

namespace alps {

struct LandscapeOptions {
  std::string title = {};
  std::string caption = {};
  std::optional<Point2> star = {};  // the reference state
  std::string label = {};           // of the vertical axis
  size_t bins = 100;                // along the longer side
  double relief = 0.5;              // height of the highest place, as a share of the longer side
  double elevation = 40;            // of the eye above the plane, in degrees
};

// points (states), values (states); throws Error as draw_heat_map does
void draw_landscape(const std::filesystem::path& path, const Floorplan& floorplan, std::span<const Point2> points,
                    std::span<const float> values, const LandscapeOptions& options = {});

}  // namespace alps
