// How familiar a state is: whether it lies where the data were. Training leaves with the regions
// (graph/cluster_graph.h) the radius of each region, which is the largest distance in psi of a recorded state to its
// centre, and the range of each column of the state. A state is off the data by the larger of two ratios:
//   the distance in psi to the nearest centre over the radius of that region, and
//   for the column that lies furthest out, 1 + its distance beyond the recorded range over the width of that range.
// So recorded states have at most 1. Costs one distance for each region, and changes no decision.
#pragma once

#include <span>
#include <string>

#include "alps/graph/cluster_graph.h"

namespace alps {

inline constexpr double kOffData = 1.5;  // beyond this, networks extrapolate and an action is a guess

// normalized state (state_size) and its psi; region: the nearest one, -1: to be found. -1 where the graph does not know
// how far the data reach (runs of older versions)
double off_data(const ClusterGraph& graph, std::span<const float> state, std::span<const float> psi, int region = -1);

// a sentence on "the observation" or "the goal"; empty where it is not known
std::string off_data_text(const std::string& what, double off);

}  // namespace alps
