// The cluster graph G_c of the paper: the regions of the map are vertices, observed passages between them are edges,
// and the length of an edge is the distance of the two centres in psi. Rare neighbours are pruned by nucleus sampling
// (top-p), and Dijkstra's algorithm on the pruned graph finds the route. Kept in RUN/graph.npz. What RouterParams adds
// to the paper can be switched off field by field.
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
  std::vector<int64_t> leaps;     // (clusters) leaps of the state that start in each; never edges (data/jumps.h)

  // How far the data reach (plan/familiarity.h); empty in files of older versions.
  std::vector<float> radii;      // (clusters) largest distance in psi of a state to its centre
  std::vector<float> low, high;  // (state_size) range of each column of the normalized states; empty for images
  // The same of the states that a step leads to. First rows of episodes may hold values that never come back.
  std::vector<float> reached_low, reached_high;

  size_t clusters() const { return sizes.size(); }
  std::span<const float> center(size_t c) const { return std::span(centers).subspan(c * dim, dim); }
  double length(size_t a, size_t b) const;        // distance of two centres
  int nearest(std::span<const float> psi) const;  // the cluster of a state
};

// labels (rows): the cluster of each row, -1 for none. episodes: first and last row of each, both included. leaps: rows
// after which the state leaps.
ClusterGraph build_cluster_graph(size_t dim, std::vector<float> centers, std::span<const int32_t> labels,
                                 std::span<const std::pair<size_t, size_t>> episodes, double top_p,
                                 std::span<const size_t> leaps = {});

// For each cluster the neighbours that pruning keeps, ascending. A cluster keeps its most frequent neighbours, passages
// in both directions counted together, until they cover the share top_p; an edge stays if either of its ends keeps it.
std::vector<std::vector<int>> kept_neighbours(const ClusterGraph& graph, double top_p);

// Traps: regions with few passages in and out, less than a twentieth of those of the region that holds the median
// state. An ant that lies on its back is in a trap.
std::vector<bool> traps(const ClusterGraph& graph);
// Doors: regions where more than a tenth of the departures are leaps, such as the entrance of a teleport. Nobody can
// choose where a leap leads.
std::vector<bool> doors(const ClusterGraph& graph);

// The same without the directions that hardly anybody took: b stays a neighbour of a if at least the share `one_way` of
// the passages between them went from a to b. What has momentum, or gets up after a fall, passes most regions in one
// direction only; 0 keeps both directions of every passage.
std::vector<std::vector<int>> travelled(const ClusterGraph& graph, std::vector<std::vector<int>> neighbours,
                                        double one_way);

struct Route {
  std::vector<int> clusters;  // from start to goal, both included; empty: there is no way
  double length = 0;
  double top_p = 0;  // the pruning with which it was found
};

using Passages = std::set<std::pair<int, int>>;  // (a, b) with a < b: both directions

struct RouterParams {
  double top_p = 0.95;      // share of the passages that the kept neighbours of a region cover
  bool relax = true;        // where pruning cuts the goal off, prune less: 0.99, 0.999, 1
  bool avoid_traps = true;  // routes go through traps only if there is no other way
  bool avoid_doors = true;  // the same for doors; if one is needed, traps come first
  // routes go against the direction in which the data passed, by `travelled`, only if there is no other way; 0: at will
  double one_way = 0.1;
};

// Finds routes over a graph by Dijkstra's algorithm. While passages are closed, all levels of pruning that `relax`
// allows are tried and the shortest route is taken: a rare passage nearby is better than a long detour. The graph must
// outlive the router.
class Router {
 public:
  explicit Router(const ClusterGraph& graph, const RouterParams& params = {});
  Route route(int from, int to, const Passages& closed = {}) const;
  void route(int from, int to, const Passages& closed, Route& best) const;  // the same; uses the memory of `best` again

 private:
  const ClusterGraph& graph_;
  std::vector<std::vector<bool>> avoid_;  // sets of regions, tried in order; the last is empty
  using Levels = std::vector<std::pair<double, std::vector<std::vector<int>>>>;  // (top_p, neighbours), strictest first
  std::vector<Levels> levels_;  // in the directions of the data, then in both
};

// shortest way by Dijkstra's algorithm over the given neighbours, edges weighted by length(a, b), that goes through
// none of the clusters to be avoided; empty when there is none
std::vector<int> dijkstra(const ClusterGraph& graph, const std::vector<std::vector<int>>& neighbours, int from, int to,
                          const Passages& closed = {}, const std::vector<bool>& avoid = {});

void save_graph(const std::filesystem::path& path, const ClusterGraph& graph);
ClusterGraph load_graph(const std::filesystem::path& path);  // checks everything, names what is wrong

}  // namespace alps
