// An agent's way over a floor plan: a line, with leaps, as only teleports make them, thin and dashed (is_leap in
// base/geometry.h).
#pragma once

#include <span>

#include "alps/draw/canvas.h"

namespace alps {

void draw_path_line(Canvas& canvas, std::span<const Point2> points, const Stroke& stroke, Point2 leap);

}  // namespace alps
