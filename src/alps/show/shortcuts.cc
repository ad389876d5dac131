#include "alps/show/shortcuts.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "alps/plan/rollout.h"
#include "alps/world/maze.h"

namespace alps {
namespace {

constexpr int kNear = 2, kFar = 6;  // cells on foot
constexpr size_t kMost = 12;        // shortcuts that are told

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

}  // namespace

std::vector<Shortcut> shortcuts(const Maze& maze, const StateSample& sample, const std::vector<size_t>& nodes) {
  // every pair of regions: how far in psi, how far on foot
  std::vector<Shortcut> pairs;
  std::map<int, std::vector<double>> by_cells;
  for (size_t a = 0; a < nodes.size(); ++a)
    for (size_t b = a + 1; b < nodes.size(); ++b) {
      if (nodes[a] == sample.size() || nodes[b] == sample.size()) continue;
      const Cell from = maze.cell(sample.places[nodes[a]]), to = maze.cell(sample.places[nodes[b]]);
      if (!maze.free(from) || !maze.free(to)) continue;
      const int cells = maze.distances(to)[from.i * maze.width() + from.j];
      const double psi = std::sqrt(squared_distance(sample.psi.row<float>(nodes[a]), sample.psi.row<float>(nodes[b])));
      pairs.push_back({static_cast<int>(a), static_cast<int>(b), psi, cells, 0});
      if (cells >= 0) by_cells[cells].push_back(psi);
    }

  // what is usual for so many cells
  std::map<int, double> usual;
  for (auto& [cells, values] : by_cells) usual[cells] = median(values);
  if (!usual.contains(kNear)) return {};
  std::vector<Shortcut> found;
  for (Shortcut s : pairs) {
    if ((s.cells >= 0 && s.cells < kFar) || s.psi > usual[kNear]) continue;
    s.looks_like = std::ranges::find_if(usual, [&](const auto& u) { return u.second >= s.psi; })->first;
    found.push_back(s);
  }
  // the nearest first, and of those between the same two neighbourhoods only one
  std::ranges::stable_sort(found, {}, &Shortcut::psi);
  const auto close = [&](int a, int b) {
    return distance(sample.places[nodes[a]], sample.places[nodes[b]]) < 2 * Maze::kUnit;
  };
  std::vector<Shortcut> told;
  for (const Shortcut& s : found) {
    const bool known = std::ranges::any_of(told, [&](const Shortcut& t) {
      return (close(s.from, t.from) && close(s.to, t.to)) || (close(s.from, t.to) && close(s.to, t.from));
    });
    if (!known && told.size() < kMost) told.push_back(s);
  }
  return told;
}

}  // namespace alps
