#include "alps/draw/path_line.h"

namespace alps {

void draw_path_line(Canvas& canvas, std::span<const Point2> points, const Stroke& stroke, Point2 leap) {
  const Stroke dashed{stroke.color.with_alpha(0.8 * stroke.color.alpha), 0.6 * stroke.width, true};
  size_t first = 0;
  for (size_t i = 1; i <= points.size(); i++) {
    const bool jumped = i < points.size() && is_leap(points[i - 1], points[i], leap);
    if (i < points.size() && !jumped) continue;
    canvas.polyline(points.subspan(first, i - first), stroke);
    if (jumped) canvas.line(points[i - 1], points[i], dashed);
    first = i;
  }
}

}  // namespace alps
