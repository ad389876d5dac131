// An agent's way over a floor plan: a line, with the jumps that only teleports make thin and dashed.
#pragma once

#include <span>

#include "alps/draw/canvas.h"

namespace alps {

// Agents' steps are well below a cell, and a wall block is a cell wide: 1.5 cells. Infinite where there is no teleport.
double teleport_jump(const Floorplan& floorplan);

void draw_path_line(Canvas& canvas, std::span<const Point2> points, const Stroke& stroke, double jump);

}  // namespace alps
