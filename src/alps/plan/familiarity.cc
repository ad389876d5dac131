#include "alps/plan/familiarity.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "alps/plan/rollout.h"

namespace alps {
namespace {

constexpr double kMost = 1e6;  // more is not told apart

// a region of a single state still has an extent
double radius_of(const ClusterGraph& graph, int region) {
  double sum = 0;
  for (const float r : graph.radii) sum += r;
  return std::max<double>(graph.radii[region], 0.1 * sum / static_cast<double>(graph.radii.size()));
}

}  // namespace

double off_data(const ClusterGraph& graph, std::span<const float> state, std::span<const float> psi, int region) {
  if (graph.radii.empty()) return -1;
  if (region < 0) region = graph.nearest(psi);
  double off = 0;
  if (const double radius = radius_of(graph, region); radius > 0)
    off = std::sqrt(squared_distance(psi, graph.center(region))) / radius;
  for (size_t k = 0; k < std::min(state.size(), graph.low.size()); ++k) {
    const double beyond =
        std::max({0.0, static_cast<double>(state[k]) - graph.high[k], graph.low[k] - static_cast<double>(state[k])});
    // a column that never changed has no width; states are normalized, so a deviation is 1
    const double width = graph.high[k] > graph.low[k] ? static_cast<double>(graph.high[k]) - graph.low[k] : 1.0;
    if (beyond > 0) off = std::max(off, 1 + beyond / width);
  }
  return std::isfinite(off) ? std::min(off, kMost) : kMost;
}

std::string off_data_text(const std::string& what, double off) {
  if (off < 0) return "";
  if (off <= 1) return what + " lies within the data";
  char text[32];
  std::snprintf(text, sizeof text, off >= kMost ? "a million" : off >= 100 ? "%.0f" : "%.1f", off);
  if (off <= kOffData) return what + " lies at the edge of the data (" + text + " times as far out as they reach)";
  return what + " lies outside the data (" + text +
         " times as far out as they reach): the networks have seen nothing like it, and the action is a guess";
}

}  // namespace alps
