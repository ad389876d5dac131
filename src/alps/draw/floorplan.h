// Pictures of worlds seen from above: walls as solid blocks, teleports as discs (dark where they swallow, light where
// they release), and trajectories over them, each in its own colour from a dot to a star.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "alps/base/geometry.h"
#include "alps/draw/canvas.h"

namespace alps {

// bounds and walls together: the part of the world that a picture should show
Rect floorplan_extent(const Floorplan& floorplan);
void draw_floorplan(Canvas& canvas, const Floorplan& floorplan);

struct TrajectoryOptions {
  size_t episodes = 0;  // of how many episodes these are some: "20 of 1,000 episodes"; 0: these are all
};

// Draws and saves. An empty floorplan is replaced by a box around the trajectories.
void draw_trajectories(const std::filesystem::path& path, const Floorplan& floorplan,
                       std::span<const std::vector<Point2>> trajectories, const std::string& title,
                       TrajectoryOptions options = {});

}  // namespace alps
