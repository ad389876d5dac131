// Waypoints and the ways between them (GAS, Baek et al. 2025), in a space in which distance is time (learn/distance.h).
// Waypoints are about `reach` / 2 apart and stand for the states around them, whichever trajectory these belong to; two
// of them are joined if they are at most `reach` apart, and parts of the graph that are left alone are joined to the
// others where they come nearest. Dijkstra's algorithm gives the way from any of them to a goal. Kept in
// RUN/waypoints.npz.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

namespace alps {

struct WaypointGraph {
  size_t dim = 0;
  double reach = 0;
  std::vector<float> nodes;  // (waypoints, dim)
  // those joined to waypoint i: neighbours[starts[i]] to neighbours[starts[i + 1] - 1]
  std::vector<int32_t> starts, neighbours;

  size_t size() const { return nodes.size() / dim; }
  std::span<const float> node(size_t i) const { return std::span(nodes).subspan(i * dim, dim); }
};

// Finds waypoints while states are shown to it, in order: a state further than `radius` from all that there are begins
// a new one, every other state belongs to the nearest. In the end a waypoint is the mean of its states.
class WaypointMaker {
 public:
  WaypointMaker(size_t dim, double radius) : dim_(dim), radius_(radius) {}
  void add(std::span<const float> rows, int threads = 0);  // (n, dim)
  size_t size() const { return counts_.size(); }
  std::vector<float> means() const;

 private:
  const size_t dim_;
  const double radius_;
  std::vector<float> first_;    // (waypoints, dim), the state that began each
  std::vector<double> sums_;    // (waypoints, dim)
  std::vector<size_t> counts_;  // (waypoints)
};

WaypointGraph join_waypoints(size_t dim, std::vector<float> nodes, double reach, int threads = 0);

// The shortest ways of all waypoints to one goal, which is joined to those within reach, or else to the nearest ones.
class WaysTo {
 public:
  WaysTo() = default;
  WaysTo(const WaypointGraph& graph, std::span<const float> goal);

  // Where to begin from a state: of the waypoints within reach, the one with the shortest way in all; `nearest`: if
  // there is none, the nearest.
  std::optional<int> begin(const WaypointGraph& graph, std::span<const float> at, bool nearest) const;
  // waypoints from here to the goal; the last leads to the goal itself, which is none
  std::vector<int> way(int from) const;
  double length(int from) const { return lengths_[from]; }

 private:
  std::vector<double> lengths_;  // to the goal; infinite where there is no way
  std::vector<int> next_;        // -1: the goal
};

void save_waypoints(const std::filesystem::path& path, const WaypointGraph& graph);
WaypointGraph load_waypoints(const std::filesystem::path& path);  // Error where anything does not fit

}  // namespace alps
