#include "alps/draw/path_line.h"

#include <algorithm>
#include <limits>

namespace alps {

double teleport_jump(const Floorplan& floorplan) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool teleports = std::any_of(floorplan.marks.begin(), floorplan.marks.end(),
                                     [](const Floorplan::Mark& mark) { return mark.kind.starts_with("teleport"); });
  if (!teleports) return kInfinity;
  double cell = kInfinity;
  for (const Rect& wall : floorplan.walls) cell = std::min({cell, wall.high.x - wall.low.x, wall.high.y - wall.low.y});
  return 1.5 * cell;
}

void draw_path_line(Canvas& canvas, std::span<const Point2> points, const Stroke& stroke, double jump) {
  const Stroke leap{stroke.color.with_alpha(0.8 * stroke.color.alpha), 0.6 * stroke.width, true};
  size_t first = 0;
  for (size_t i = 1; i <= points.size(); i++) {
    const bool jumped = i < points.size() && distance(points[i - 1], points[i]) > jump;
    if (i < points.size() && !jumped) continue;
    canvas.polyline(points.subspan(first, i - first), stroke);
    if (jumped) canvas.line(points[i - 1], points[i], leap);
    first = i;
  }
}

}  // namespace alps
