#include "alps/draw/floorplan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "alps/base/error.h"
#include "alps/base/progress.h"
#include "alps/draw/path_line.h"

namespace alps {

namespace {

constexpr Color kWall = rgb(0xd9dde2), kWallEdge = rgb(0xa9b0b8), kDark = rgb(0x3a3f47), kLight = rgb(0xf4f5f6);
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool finite(Point2 p) { return std::isfinite(p.x) && std::isfinite(p.y); }
bool empty(const Rect& r) { return !(r.high.x > r.low.x || r.high.y > r.low.y); }

Rect around(const Rect& r, Point2 p) {
  return {{std::min(r.low.x, p.x), std::min(r.low.y, p.y)}, {std::max(r.high.x, p.x), std::max(r.high.y, p.y)}};
}

// a box around all points with a little air, for worlds of which nothing else is known
Rect box_around(std::span<const std::vector<Point2>> trajectories) {
  Rect box{{kInfinity, kInfinity}, {-kInfinity, -kInfinity}};
  for (const auto& trajectory : trajectories)
    for (const Point2 p : trajectory)
      if (finite(p)) box = around(box, p);
  if (box.low.x > box.high.x) return {{0, 0}, {1, 1}};
  const double size = std::max(box.high.x - box.low.x, box.high.y - box.low.y);
  const double air = size > 0 ? 0.05 * size : 0.5;
  return {box.low - Point2{air, air}, box.high + Point2{air, air}};
}

void draw_marks(Canvas& canvas, const Floorplan& floorplan, double alpha) {
  for (const Floorplan::Mark& mark : floorplan.marks) {
    const bool dark = mark.kind == "teleport_in";
    canvas.circle(mark.center, mark.radius, (dark ? kDark : kLight).with_alpha(alpha), {kDark, 0.5});
    // the label stays inside the disc; where that would be too small to read, there is none
    const double size = std::min(10.5, 0.75 * canvas.points(mark.radius));
    const std::string label = mark.kind.substr(mark.kind.rfind('_') + 1);
    if (size >= 5) canvas.text(mark.center, label, {.size = size, .color = dark ? kLight : kDark});
  }
}

}  // namespace

Rect floorplan_extent(const Floorplan& floorplan) {
  Rect extent = floorplan.bounds;
  if (empty(extent) && !floorplan.walls.empty()) extent = floorplan.walls.front();
  for (const Rect& wall : floorplan.walls) extent = around(around(extent, wall.low), wall.high);
  return extent;
}

void draw_floorplan(Canvas& canvas, const Floorplan& floorplan) {
  // a line around the whole, as some worlds end without a wall
  const Rect border = floorplan_extent(floorplan);
  const Point2 corners[] = {
      border.low, {border.high.x, border.low.y}, border.high, {border.low.x, border.high.y}, border.low};
  canvas.rects(floorplan.walls, kWall, {kWallEdge, 0.5});
  canvas.polyline(corners, {kWallEdge, 1.2});
  draw_marks(canvas, floorplan, 1);
}

void draw_trajectories(const std::filesystem::path& path, const Floorplan& floorplan,
                       std::span<const std::vector<Point2>> trajectories, const std::string& title,
                       TrajectoryOptions options) {
  const bool leaps = std::ranges::any_of(trajectories, [&](const std::vector<Point2>& path) {
    return std::ranges::adjacent_find(path, [&](Point2 a, Point2 b) { return is_leap(a, b, floorplan.leap); }) !=
           path.end();
  });
  const size_t count = trajectories.size(), all = std::max(options.episodes, count);

  CanvasOptions page;
  page.world = floorplan_extent(floorplan);
  if (empty(page.world)) page.world = box_around(trajectories);
  page.title = title;
  page.caption =
      str(count < all ? with_commas(count) + " of " : "", with_commas(all), all == 1 ? " episode" : " episodes");
  page.legend = {{Symbol::kCircle, kDark, "start"}, {Symbol::kStar, kDark, "end"}};
  if (leaps) page.legend.push_back({Symbol::kDashes, kDark, "leap"});

  Canvas canvas(path, page);
  draw_floorplan(canvas, floorplan);
  // the more lines, the fainter each, so that crowded places still show structure
  const double alpha = std::clamp(3.6 / std::sqrt(static_cast<double>(std::max<size_t>(count, 1))), 0.25, 0.85);
  for (size_t i = 0; i < count; i++)
    draw_path_line(canvas, trajectories[i], {qualitative(i).with_alpha(alpha), 1.4}, floorplan.leap);
  // marks once more, lightly, so that their labels can be read; starts and ends on top of all
  draw_marks(canvas, floorplan, 0.75);
  for (size_t i = 0; i < count; i++) {
    if (trajectories[i].empty()) continue;
    canvas.marker(Symbol::kCircle, trajectories[i].front(), 3.6, qualitative(i));
    canvas.marker(Symbol::kStar, trajectories[i].back(), 6.5, qualitative(i));
  }
  canvas.save();
}

}  // namespace alps
