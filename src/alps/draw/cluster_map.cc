#include "alps/draw/cluster_map.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "alps/base/error.h"
#include "alps/draw/bins.h"
#include "alps/draw/canvas.h"
#include "alps/draw/floorplan.h"

namespace alps {

namespace {

constexpr Color kRoute = rgb(0x111418), kStart = rgb(0x1b7f3b), kGoal = rgb(0xe8252f);

constexpr double kUnderGraph = 0.38;  // pale enough for a graph on top

Color region_color(int32_t label, double white) {
  const Color c = qualitative(static_cast<size_t>(label));
  return {std::lerp(c.red, 1, white), std::lerp(c.green, 1, white), std::lerp(c.blue, 1, white)};
}

void check_input(const std::filesystem::path& path, size_t points, size_t labels, const ClusterMapOptions& options) {
  const auto refuse = [&](const auto&... why) { throw Error("cannot draw ", path.string(), ": ", why...); };
  if (points != labels) refuse(points, " points but ", labels, " labels");
  const size_t nodes = options.nodes.size();
  for (const ClusterEdge& edge : options.edges)
    if (edge.from >= nodes || edge.to >= nodes)
      refuse("the edge ", edge.from, " -> ", edge.to, " needs more than the ", nodes, " nodes");
  for (const size_t cluster : options.route)
    if (cluster >= nodes) refuse("the route passes cluster ", cluster, " of ", nodes, " nodes");
}

// white lines where one region ends and the next begins, joined along rows and columns
void draw_borders(Canvas& canvas, const BinGrid& grid, std::span<const int32_t> labels) {
  const Point2 step{(grid.rect.high.x - grid.rect.low.x) / static_cast<double>(grid.columns),
                    (grid.rect.high.y - grid.rect.low.y) / static_cast<double>(grid.rows)};
  const auto corner = [&](size_t column, size_t row) {
    return grid.rect.low + Point2{static_cast<double>(column) * step.x, static_cast<double>(row) * step.y};
  };
  const auto differ = [&](size_t a, size_t b) { return labels[a] >= 0 && labels[b] >= 0 && labels[a] != labels[b]; };
  const Stroke white{kPaper, 0.9};
  for (size_t column = 1; column < grid.columns; column++)
    for (size_t row = 0, first = 0; row <= grid.rows; row++) {
      const size_t bin = row * grid.columns + column;
      if (row < grid.rows && differ(bin - 1, bin)) continue;
      if (row > first) canvas.line(corner(column, first), corner(column, row), white);
      first = row + 1;
    }
  for (size_t row = 1; row < grid.rows; row++)
    for (size_t column = 0, first = 0; column <= grid.columns; column++) {
      const size_t bin = row * grid.columns + column;
      if (column < grid.columns && differ(bin - grid.columns, bin)) continue;
      if (column > first) canvas.line(corner(first, row), corner(column, row), white);
      first = column + 1;
    }
}

void draw_graph(Canvas& canvas, const ClusterMapOptions& options) {
  double strongest = 0;
  for (const ClusterEdge& edge : options.edges)
    if (std::isfinite(edge.weight)) strongest = std::max(strongest, edge.weight);
  for (const ClusterEdge& edge : options.edges) {
    const double share = edge.weight > 0 && strongest > 0 ? std::sqrt(std::min(1.0, edge.weight / strongest)) : 0;
    canvas.line(options.nodes[edge.from], options.nodes[edge.to], {kInk.with_alpha(0.55), 0.5 + 2.2 * share});
  }
  // the more nodes, the smaller each
  const double radius = std::clamp(30 / std::sqrt(static_cast<double>(options.nodes.size() + 1)), 2.0, 4.5);
  for (size_t i = 0; i < options.nodes.size(); i++)
    canvas.marker(Symbol::kCircle, options.nodes[i], radius, qualitative(i));
}

void draw_route(Canvas& canvas, const ClusterMapOptions& options) {
  std::vector<Point2> way;
  if (options.start) way.push_back(*options.start);
  for (const size_t cluster : options.route) way.push_back(options.nodes[cluster]);
  if (options.goal) way.push_back(*options.goal);
  if (!options.route.empty()) {
    canvas.polyline(way, {kPaper, 5.5});
    canvas.polyline(way, {kRoute, 2.8});
    for (const size_t cluster : options.route) canvas.marker(Symbol::kCircle, options.nodes[cluster], 3.8, kRoute);
  }
  if (options.start) canvas.marker(Symbol::kCircle, *options.start, 6, kStart);
  if (options.goal) canvas.marker(Symbol::kStar, *options.goal, 10, kGoal);
}

}  // namespace

std::vector<Point2> cluster_centers(std::span<const Point2> points, std::span<const int32_t> labels, size_t clusters) {
  if (points.size() != labels.size()) throw Error(points.size(), " points but ", labels.size(), " labels");
  std::vector<Point2> sums(clusters);
  std::vector<double> counts(clusters);
  for (size_t i = 0; i < points.size(); i++) {
    const auto label = static_cast<size_t>(labels[i]);
    if (labels[i] < 0 || label >= clusters || !std::isfinite(points[i].x) || !std::isfinite(points[i].y)) continue;
    sums[label] = sums[label] + points[i];
    counts[label]++;
  }
  for (size_t i = 0; i < clusters; i++)
    sums[i] = counts[i] > 0 ? (1 / counts[i]) * sums[i] : Point2{std::nan(""), std::nan("")};
  return sums;
}

bool draw_regions(Canvas& canvas, const Rect& world, std::span<const Point2> points, std::span<const int32_t> labels,
                  size_t bins, double white) {
  const BinGrid grid = make_bins(points, world, bins);
  std::vector<int32_t> regions = bin_labels(grid, points, labels);
  fill_holes(grid, regions);
  if (std::all_of(regions.begin(), regions.end(), [](int32_t label) { return label < 0; })) return false;
  ColorGrid colors{grid.columns, grid.rows, {}};
  for (const int32_t label : regions)
    colors.colors.push_back(label < 0 ? kPaper.with_alpha(0) : region_color(label, white));
  canvas.image(colors, grid.rect);
  draw_borders(canvas, grid, regions);
  return true;
}

void draw_cluster_map(const std::filesystem::path& path, const Floorplan& floorplan, std::span<const Point2> points,
                      std::span<const int32_t> labels, const ClusterMapOptions& options) {
  check_input(path, points.size(), labels.size(), options);
  const Rect world = shown_world(floorplan, points);
  CanvasOptions page{.world = world, .extent = options.extent, .title = options.title, .caption = options.caption};
  if (options.start) page.legend.push_back({Symbol::kCircle, kStart, "start"});
  if (options.goal) page.legend.push_back({Symbol::kStar, kGoal, "goal"});
  if (!options.route.empty()) page.legend.push_back({Symbol::kLine, kRoute, "route"});
  Canvas canvas(path, page);

  if (!draw_regions(canvas, world, points, labels, options.bins, kUnderGraph))
    throw Error("cannot draw ", path.string(), ": none of its ", points.size(), " states has a cluster and a place");
  draw_floorplan(canvas, floorplan);
  draw_graph(canvas, options);
  draw_route(canvas, options);
  canvas.save();
}

}  // namespace alps
