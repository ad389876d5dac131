// The regions into which the planner cuts the world, and optionally the graph over them: states are binned, each bin
// takes the colour of its most frequent cluster; nodes lie at the mean place of their states, edges are as wide as they
// are strong, and the route of a plan runs over all of it from start to goal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alps/base/geometry.h"
#include "alps/draw/canvas.h"

namespace alps {

struct ClusterEdge {
  size_t from = 0, to = 0;
  double weight = 1;  // widths follow its square root; edges without a positive weight are thin
};

struct ClusterMapOptions {
  std::string title = {};
  std::string caption = {};
  std::vector<Point2> nodes = {};       // (clusters); empty: no graph. A node that is not finite is left out.
  std::vector<ClusterEdge> edges = {};  // between nodes; both directions may be there
  std::vector<size_t> route = {};       // of clusters
  std::optional<Point2> start = {}, goal = {};
  size_t bins = 160;    // along the longer side
  double extent = 640;  // longer side of the plot, in points
};

// the mean place of the states of each cluster; not-a-number for clusters without any
std::vector<Point2> cluster_centers(std::span<const Point2> points, std::span<const int32_t> labels, size_t clusters);

// The coloured floor alone, with white borders; `white`: how pale, 0 .. 1. False when no state has a cluster and a
// place.
bool draw_regions(Canvas& canvas, const Rect& world, std::span<const Point2> points, std::span<const int32_t> labels,
                  size_t bins, double white);

// points (states), labels (states), negative: none. Throws Error when there is nothing to draw, when lengths differ or
// when an edge or the route names a cluster that is not among the nodes.
void draw_cluster_map(const std::filesystem::path& path, const Floorplan& floorplan, std::span<const Point2> points,
                      std::span<const int32_t> labels, const ClusterMapOptions& options = {});

}  // namespace alps
