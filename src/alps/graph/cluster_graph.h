// The cluster graph G_c of the paper: the regions of the map are vertices, observed passages between them are edges,
// and the length of an edge is the distance of the two centres in psi. Rare neighbours are pruned by nucleus sampling
// (top-p); Dijkstra's algorithm finds the high-level plan. Kept in RUN/graph.npz. The paper's high-level planner is
// Dijkstra's algorithm on the pruned graph; what RouterParams adds to it can be switched off field by field.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace alps {

struct ClusterGraph {
  size_t dim = 0;  // of psi
  double top_p = 0.95;
  std::vector<float> centers;     // (clusters, dim)
  std::vector<int64_t> sizes;     // (clusters) states in each
  std::vector<int64_t> passages;  // (clusters, clusters) observed steps from cluster i to j, i != j
  std::vector<int64_t> leaps;     // (clusters) of the state, from each: not a way to go (data/jumps.h)

  size_t clusters() const { return sizes.size(); }
  std::span<const float> center(size_t c) const { return std::span(centers).subspan(c * dim, dim); }
  double length(size_t a, size_t b) const;        // distance of two centres
  int nearest(std::span<const float> psi) const;  // the cluster of a state
};

// labels (rows): cluster of each row, -1 for none; episodes: first and last row of each, both included; leaps: rows
// before one
ClusterGraph build_cluster_graph(size_t dim, std::vector<float> centers, std::span<const int32_t> labels,
                                 std::span<const std::pair<size_t, size_t>> episodes, double top_p,
                                 std::span<const size_t> leaps = {});

// For each cluster the neighbours that are kept: those seen most often, passages in both directions counted together,
// as many as it takes to cover the share top_p; an edge that either end keeps is kept at both. Ascending.
std::vector<std::vector<int>> kept_neighbours(const ClusterGraph& graph, double top_p);

// Traps: regions that hardly any trajectory enters or leaves, less than a twentieth of what the region of the median
// state has. An ant that lies on its back is in one.
std::vector<bool> traps(const ClusterGraph& graph);
// Doors: regions from which more than a tenth of the departures are leaps, such as the entry of a teleport. Where a
// leap leads is not known beforehand.
std::vector<bool> doors(const ClusterGraph& graph);

struct Route {
  std::vector<int> clusters;  // from start to goal, both included; empty: there is no way
  double length = 0;
  double top_p = 0;  // the pruning that left this way open
};

using Passages = std::set<std::pair<int, int>>;  // (a, b) with a < b: both directions

struct RouterParams {
  double top_p = 0.95;      // share of the passages that the kept neighbours of a region cover
  bool relax = true;        // where pruning cuts the goal off, prune less: 0.99, 0.999, 1
  bool avoid_traps = true;  // routes go through traps only if there is no other way
  bool avoid_doors = true;  // the same for doors; a trap is the lesser evil
};

// Finds routes over a graph by Dijkstra's algorithm. While passages are closed, every level of pruning that `relax`
// allows is tried and the shortest route is taken: a rare passage near by is better than a long way round. The graph
// must outlive the router.
class Router {
 public:
  explicit Router(const ClusterGraph& graph, const RouterParams& params = {});
  Route route(int from, int to, const Passages& closed = {}) const;

 private:
  const ClusterGraph& graph_;
  std::vector<std::vector<bool>> avoid_;  // sets of regions, tried in order; the last is empty
  std::vector<std::pair<double, std::vector<std::vector<int>>>> levels_;  // (top_p, kept neighbours), strictest first
};

// shortest way by Dijkstra's algorithm over the given neighbours, edges weighted by length(a, b), that goes through
// none of the clusters to be avoided; empty when there is none
std::vector<int> dijkstra(const ClusterGraph& graph, const std::vector<std::vector<int>>& neighbours, int from, int to,
                          const Passages& closed = {}, const std::vector<bool>& avoid = {});

void save_graph(const std::filesystem::path& path, const ClusterGraph& graph);
ClusterGraph load_graph(const std::filesystem::path& path);  // checks everything, names what is wrong

}  // namespace alps
