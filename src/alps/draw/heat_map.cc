#include "alps/draw/heat_map.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "alps/base/error.h"
#include "alps/draw/bins.h"
#include "alps/draw/canvas.h"
#include "alps/draw/floorplan.h"

namespace alps {

namespace {

constexpr Color kStar = rgb(0xe8252f);

bool any_finite(std::span<const float> values) {
  return std::any_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

// means of the bins; refuses what would give an empty picture
std::vector<float> checked_means(const std::filesystem::path& path, const BinGrid& grid, std::span<const Point2> points,
                                 std::span<const float> values) {
  if (points.size() != values.size())
    throw Error("cannot draw ", path.string(), ": ", points.size(), " points but ", values.size(), " values");
  std::vector<float> means = bin_means(grid, points, values);
  fill_holes(grid, means);
  if (!any_finite(means))
    throw Error("cannot draw ", path.string(), ": none of its ", values.size(), " values is a number inside the world");
  return means;
}

// A few bins far beyond all others (a place cut off from the rest) would leave a single colour for everything else:
// they get the last colour, and the caption says so.
std::string cut_outliers(std::vector<float>& means) {
  std::vector<float> sorted;
  std::copy_if(means.begin(), means.end(), std::back_inserter(sorted), [](float v) { return std::isfinite(v); });
  std::sort(sorted.begin(), sorted.end());
  const float low = sorted.front(), high = sorted[sorted.size() * 98 / 100], top = sorted.back();
  if (sorted.size() < 100 || top - low < 3 * (high - low)) return {};
  for (float& mean : means)
    if (mean > high) mean = high;
  return str("values beyond ", std::lround(high), " (up to ", std::lround(top), ") share the last colour");
}

void draw_panel(Canvas& canvas, const Floorplan& floorplan, const BinGrid& grid, std::span<const float> means,
                const ColorScale& scale, const std::optional<Point2>& star, double star_size) {
  ColorGrid colors{grid.columns, grid.rows, {}};
  for (const float mean : means) colors.colors.push_back(std::isnan(mean) ? kPaper.with_alpha(0) : scale(mean));
  canvas.image(colors, grid.rect);
  draw_floorplan(canvas, floorplan);
  if (star) canvas.marker(Symbol::kStar, *star, star_size, kStar);
}

// slightly bent, so that a leap and the way back do not hide each other, and white below, so that any colour carries it
void draw_arrow(Canvas& canvas, const HeatArrow& arrow) {
  const Point2 way = arrow.to - arrow.from, side{-0.12 * way.y, 0.12 * way.x};
  std::vector<Point2> line;
  for (int i = 0; i <= 24; i++) {
    const double t = i / 24.0;
    line.push_back(arrow.from + t * way + (4 * t * (1 - t)) * side);
  }
  const double length = std::max(1e-9, distance(arrow.from, arrow.to)), head = 11 / canvas.points(1);
  const Point2 tip = arrow.to - line[22];
  const double size = std::max(1e-9, distance({0, 0}, tip));
  const Point2 along = (std::min(head, length) / size) * tip, across{-0.4 * along.y, 0.4 * along.x};
  const Point2 corners[] = {arrow.to, arrow.to - along + across, arrow.to - along - across};
  canvas.polyline(line, {kPaper, 4});
  canvas.polygon(corners, kInk, {kPaper, 1});
  canvas.polyline(std::span(line).first(24), {kInk, 1.8});
}

// letters on a white plate, beside the arrow's head and inside the world
void draw_label(Canvas& canvas, const HeatArrow& arrow, const Rect& world) {
  if (arrow.label.empty()) return;
  const TextStyle style{10.5, kInk, Anchor::kLeft, true};
  const double unit = 1 / canvas.points(1), wide = unit * (text_width(arrow.label, style) + 8), high = unit * 16;
  const Point2 low{std::clamp(arrow.to.x + 8 * unit, world.low.x, std::max(world.low.x, world.high.x - wide)),
                   std::clamp(arrow.to.y + 4 * unit, world.low.y, std::max(world.low.y, world.high.y - high))};
  canvas.rects(std::vector<Rect>{{low, low + Point2{wide, high}}}, kPaper.with_alpha(0.85));
  canvas.text(low + Point2{4 * unit, high / 2}, arrow.label, style);
}

}  // namespace

void draw_heat_map(const std::filesystem::path& path, const Floorplan& floorplan, std::span<const Point2> points,
                   std::span<const float> values, const HeatMapOptions& options) {
  const Rect world = shown_world(floorplan, points);
  const BinGrid grid = make_bins(points, world, options.bins);
  std::vector<float> means = checked_means(path, grid, points, values);
  const std::string cut = options.logarithmic || options.diverging ? "" : cut_outliers(means);
  const ColorScale scale =
      make_color_scale(means, {.logarithmic = options.logarithmic, .diverging = options.diverging});

  CanvasOptions page{.world = world, .extent = options.extent, .title = options.title, .caption = options.caption};
  if (!cut.empty()) page.caption += str(page.caption.empty() ? "" : "; ", cut);
  page.bar = ColorBar{scale, options.label};
  if (options.star) page.legend = {{Symbol::kStar, kStar, "reference"}};
  Canvas canvas(path, page);
  draw_panel(canvas, floorplan, grid, means, scale, options.star, 10);
  for (const HeatArrow& arrow : options.arrows) draw_arrow(canvas, arrow);
  for (const HeatArrow& arrow : options.arrows) draw_label(canvas, arrow, world);
  canvas.save();
}

void draw_heat_maps(const std::filesystem::path& path, const Floorplan& floorplan, std::span<const Point2> points,
                    std::span<const std::vector<float>> columns, std::span<const std::string> titles,
                    size_t grid_columns, const HeatMapsOptions& options) {
  if (columns.empty() || columns.size() != titles.size())
    throw Error("cannot draw ", path.string(), ": ", columns.size(), " columns of values and ", titles.size(),
                " titles; both must be the same, and at least 1");
  const Rect world = shown_world(floorplan, points);
  const BinGrid grid = make_bins(points, world, options.bins);
  std::vector<std::vector<float>> means;
  std::vector<float> all;
  for (const auto& values : columns) {
    means.push_back(checked_means(path, grid, points, values));
    all.insert(all.end(), means.back().begin(), means.back().end());
  }

  CanvasOptions page{.world = world, .extent = options.extent, .title = options.title, .caption = options.caption};
  page.ticks = false;
  page.panels.assign(titles.begin(), titles.end());
  page.columns = grid_columns;
  if (options.star) page.legend = {{Symbol::kStar, kStar, "reference"}};
  ColorScale scale = make_color_scale(all, {.diverging = options.diverging});
  if (options.bar) page.bar = ColorBar{scale, options.label};
  if (options.bar && !options.shared_scale) {
    // what all panels have in common is only the order of the colours
    page.bar->scale.axis = {-1, 1};
    page.bar->ticks = {{-1, options.diverging ? "\u2212max" : "min"}, {1, "max"}};
    if (options.diverging) page.bar->ticks.push_back({0, "0"});
  }

  Canvas canvas(path, page);
  for (size_t i = 0; i < means.size(); i++) {
    canvas.panel(i);
    if (!options.shared_scale) scale = make_color_scale(means[i], {.diverging = options.diverging});
    draw_panel(canvas, floorplan, grid, means[i], scale, options.star, 7);
  }
  canvas.save();
}

}  // namespace alps
