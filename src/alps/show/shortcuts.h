// Pairs of regions that psi holds as near as neighbours although the way between them is long: what a map should warn
// of.
#pragma once

#include <vector>

#include "alps/show/state_sample.h"

namespace alps {

// Two regions that psi holds as near as neighbours, although the way on foot is long, or there is none: a trap for who
// trusts psi.
struct Shortcut {
  int from = 0, to = 0;  // clusters
  double psi = 0;        // distance of their states in psi
  int cells = 0;         // on foot; -1: no way
  int looks_like = 0;    // cells on foot that are usual at this distance
};
class Maze;
std::vector<Shortcut> shortcuts(const Maze& maze, const StateSample& sample, const std::vector<size_t>& nodes);

}  // namespace alps
