// Pairs of regions that are near each other in psi although the way between them is long. Maps warn of them.
#pragma once

#include <vector>

#include "alps/show/state_sample.h"

namespace alps {

// Two regions that are as near as neighbours in psi, although the way on foot is long or there is none. A planner that
// follows psi fails between them.
struct Shortcut {
  int from = 0, to = 0;  // clusters
  double psi = 0;        // distance of their states in psi
  int cells = 0;         // on foot; -1: no way
  int looks_like = 0;    // usual number of cells between states at this distance in psi
};
class Maze;
std::vector<Shortcut> shortcuts(const Maze& maze, const StateSample& sample, const std::vector<size_t>& nodes);

}  // namespace alps
