#include "alps/draw/landscape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "alps/base/error.h"
#include "alps/draw/bins.h"
#include "alps/draw/canvas.h"
#include "alps/draw/floorplan.h"

namespace alps {

namespace {

constexpr Color kStar = rgb(0xe8252f), kWall = rgb(0xe4e7ea), kWallEdge = rgb(0xc9ced4);
constexpr double kDegree = std::numbers::pi / 180;

// parallel projection: turned about the middle of the world, then tilted
struct View {
  Point2 middle;
  double turn = 0, tilt = 0;  // radians

  double depth(Point2 p) const { return std::sin(turn) * (p.x - middle.x) + std::cos(turn) * (p.y - middle.y); }
  Point2 place(Point2 p, double height) const {
    return {std::cos(turn) * (p.x - middle.x) - std::sin(turn) * (p.y - middle.y),
            std::sin(tilt) * depth(p) + std::cos(tilt) * height};
  }
};

struct Surface {
  BinGrid grid;
  std::vector<float> values;  // not-a-number: a hole
  Axis axis;
  double relief = 1;  // height of the highest value, in units of the world

  double height(double value) const { return relief * axis.share(value); }
};

struct Face {
  std::vector<Point2> corners;  // in the plane of the picture
  double depth = 0;
  Color color;
};

Color shaded(Color c, double light) {
  const double white = std::max(0.0, light - 1);
  const auto channel = [&](double x) { return std::lerp(x * std::min(light, 1.0), 1.0, white); };
  return {channel(c.red), channel(c.green), channel(c.blue)};
}

// light falls from the upper left of the picture
double brightness(const View& view, Point2 slope) {
  const double norm = std::sqrt(1 + slope.x * slope.x + slope.y * slope.y);
  const double across = -std::cos(view.turn) * slope.x + std::sin(view.turn) * slope.y;
  const double away = -std::sin(view.turn) * slope.x - std::cos(view.turn) * slope.y;
  return 0.78 + 0.30 * (-0.62 * across - 0.33 * away + 0.71) / norm;
}

// a face between four neighbouring bins, or a triangle where one of them is a hole
std::vector<Face> make_faces(const Surface& surface, const View& view) {
  std::vector<Face> faces;
  const size_t columns = surface.grid.columns;
  for (size_t row = 0; row + 1 < surface.grid.rows; row++)
    for (size_t column = 0; column + 1 < columns; column++) {
      const size_t low = row * columns + column;
      Face face;
      double sum = 0;
      for (const size_t bin : {low, low + 1, low + columns + 1, low + columns}) {
        if (std::isnan(surface.values[bin])) continue;
        const Point2 at = surface.grid.center(bin);
        face.corners.push_back(view.place(at, surface.height(surface.values[bin])));
        face.depth += view.depth(at);
        sum += surface.values[bin];
      }
      const auto count = static_cast<double>(face.corners.size());
      if (count < 3) continue;
      face.depth /= count;
      // the missing corner of a triangle continues the plane of the others
      std::array<double, 4> h{};
      const std::array<size_t, 4> bins{low, low + 1, low + columns, low + columns + 1};
      for (size_t i = 0; i < 4; i++) h[i] = surface.height(surface.values[bins[i]]);
      for (size_t i = 0; i < 4; i++)
        if (std::isnan(h[i])) h[i] = h[i ^ 1] + h[i ^ 2] - h[i ^ 3];
      const Point2 a = surface.grid.center(bins[0]), b = surface.grid.center(bins[3]);
      const Point2 slope{(h[1] + h[3] - h[0] - h[2]) / (2 * (b.x - a.x)),
                         (h[2] + h[3] - h[0] - h[1]) / (2 * (b.y - a.y))};
      face.color = shaded(sequential(surface.axis.share(sum / count)), brightness(view, slope));
      faces.push_back(std::move(face));
    }
  std::stable_sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) { return a.depth > b.depth; });
  return faces;
}

// of four sides the one from which the surface rises away from the eye, so that little is hidden
View choose_view(const Surface& surface, Rect world, double elevation) {
  View best{0.5 * (world.low + world.high), 0, elevation * kDegree};
  double most = -1e300;
  for (int side = 0; side < 4; side++) {
    View view = best;
    view.turn = (90 * side + 30) * kDegree;
    double rise = 0;
    for (size_t bin = 0; bin < surface.values.size(); bin++)
      if (!std::isnan(surface.values[bin]))
        rise += view.depth(surface.grid.center(bin)) * (surface.axis.share(surface.values[bin]) - 0.5);
    if (rise > most) {
      most = rise;
      best.turn = view.turn;
    }
  }
  return best;
}

void draw_ground(Canvas& canvas, const View& view, const Floorplan& floorplan, Rect world) {
  const auto flat = [&](const Rect& r, Color fill, const Stroke& outline) {
    const std::array<Point2, 4> corners{view.place(r.low, 0), view.place({r.high.x, r.low.y}, 0), view.place(r.high, 0),
                                        view.place({r.low.x, r.high.y}, 0)};
    canvas.polygon(corners, fill, outline);
  };
  // the outlines of all walls first, so that none runs across a neighbour
  for (const Rect& wall : floorplan.walls) flat(wall, kWall, {kWallEdge, 0.5});
  for (const Rect& wall : floorplan.walls) flat(wall, kWall, {kWall, 0.1});
  flat(world, kPaper.with_alpha(0), {kAxisGrey, 0.5});
}

// numbers along the two edges of the ground that are nearest to the eye, and up its leftmost corner
void draw_axes(Canvas& canvas, const View& view, const Surface& surface, Rect world, const std::string& label) {
  const double unit = 1 / canvas.points(1);  // of the world, for a point in the picture
  const bool front_is_low_y = std::cos(view.turn) > 0, front_is_low_x = std::sin(view.turn) > 0;
  const double y = front_is_low_y ? world.low.y : world.high.y, x = front_is_low_x ? world.low.x : world.high.x;
  const Point2 front = view.place({x, y}, 0);  // where the edges meet, there is no room for two numbers
  const auto ticks = [&](double low, double high, auto at) {
    for (const Tick& tick : axis_ticks(low, high, 6)) {
      if (distance(view.place(at(tick.value), 0), front) < 16 * unit) continue;
      const Point2 p = view.place(at(tick.value), 0), from_middle = view.place(0.5 * (world.low + world.high), 0);
      const Point2 out{p.x > from_middle.x ? 0.7 : -0.7, -0.7};
      canvas.line(p, p + (4 * unit) * out, {kAxisGrey, 1});
      canvas.text(p + (14 * unit) * out, tick.label, small_text(Anchor::kMiddle));
    }
  };
  ticks(world.low.x, world.high.x, [&](double v) { return Point2{v, y}; });
  ticks(world.low.y, world.high.y, [&](double v) { return Point2{x, v}; });

  Point2 corner = world.low;
  for (const Point2 p : {world.low, Point2{world.low.x, world.high.y}, world.high, Point2{world.high.x, world.low.y}})
    if (view.place(p, 0).x < view.place(corner, 0).x) corner = p;
  canvas.line(view.place(corner, 0), view.place(corner, surface.relief), {kAxisGrey, 1});
  double room = 0;
  for (const Tick& tick : surface.axis.ticks(5)) {
    const Point2 p = view.place(corner, surface.height(tick.value));
    canvas.line(p, p - Point2{4 * unit, 0}, {kAxisGrey, 1});
    canvas.text(p - Point2{8 * unit, 0}, tick.label, small_text(Anchor::kRight));
    room = std::max(room, text_width(tick.label, kSmall));
  }
  TextStyle style = small_text(Anchor::kMiddle);
  style.quarter_turn = true;
  canvas.text(view.place(corner, surface.relief / 2) - Point2{(room + 20) * unit, 0}, label, style);
}

}  // namespace

void draw_landscape(const std::filesystem::path& path, const Floorplan& floorplan, std::span<const Point2> points,
                    std::span<const float> values, const LandscapeOptions& options) {
  if (points.size() != values.size())
    throw Error("cannot draw ", path.string(), ": ", points.size(), " points but ", values.size(), " values");
  const Rect world = shown_world(floorplan, points);
  const Point2 size = world.high - world.low;
  Surface surface{make_bins(points, world, options.bins), {}, {}, options.relief * std::max(size.x, size.y)};
  surface.values = bin_means(surface.grid, points, values);
  fill_holes(surface.grid, surface.values);
  AxisRange range;
  for (const float value : surface.values) range.add(value);
  if (range.empty())
    throw Error("cannot draw ", path.string(), ": none of its ", values.size(), " values is a number inside the world");
  surface.axis = range.axis();
  // distances begin at zero
  if (surface.axis.low > 0 && surface.axis.low < 0.1 * surface.axis.high) surface.axis.low = 0;
  const View view = choose_view(surface, world, options.elevation);

  // the picture's plane holds the ground, the surface above it, and a margin for the numbers
  Rect shown{view.place(world.low, 0), view.place(world.low, 0)};
  const auto include = [&](Point2 p) {
    shown.low = {std::min(shown.low.x, p.x), std::min(shown.low.y, p.y)};
    shown.high = {std::max(shown.high.x, p.x), std::max(shown.high.y, p.y)};
  };
  for (const Point2 p : {world.low, Point2{world.low.x, world.high.y}, world.high, Point2{world.high.x, world.low.y}}) {
    include(view.place(p, 0));
    if (view.place(p, 0).x <= shown.low.x) include(view.place(p, surface.relief));
  }
  const std::vector<Face> faces = make_faces(surface, view);
  for (const Face& face : faces)
    for (const Point2 corner : face.corners) include(corner);
  const double margin = 0.03 * (shown.high.x - shown.low.x);
  shown = {shown.low - Point2{2.6 * margin, margin}, shown.high + Point2{0.5 * margin, 0}};

  CanvasOptions page{.world = shown, .extent = 680, .title = options.title, .caption = options.caption, .ticks = false};
  if (options.star) page.legend = {{Symbol::kStar, kStar, "reference"}};
  Canvas canvas(path, page);
  draw_ground(canvas, view, floorplan, world);
  draw_axes(canvas, view, surface, world, options.label);
  // an outline of the same colour closes the seams between faces
  for (const Face& face : faces) canvas.polygon(face.corners, face.color, {face.color, 0.45});
  if (options.star) {
    const auto bin = surface.grid.find(*options.star);
    const bool known = bin && !std::isnan(surface.values[*bin]);
    canvas.marker(Symbol::kStar, view.place(*options.star, known ? surface.height(surface.values[*bin]) : 0), 10,
                  kStar);
  }
  canvas.save();
}

}  // namespace alps
