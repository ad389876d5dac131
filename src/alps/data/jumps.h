// Teleports and other leaps in recorded trajectories. A step on which some column of the observation changes by far
// more than it ever does in ordinary motion is not something an agent can count on: where such steps are taken for
// motion, places at both ends look near each other, and a planner walks into a trap (the paper's fig:teleport_issues).
// Cutting the episodes there keeps the two ends as far apart as they are on foot.
#pragma once

#include <vector>

#include "alps/data/dataset.h"

namespace alps {

// Episodes cut after every step on which a column of observations (rows, d) float32 changes by more than `factor` times
// the change that 99 % of the steps stay within. Columns that hardly ever change are left out.
std::vector<Episode> split_at_jumps(const Array& observations, const std::vector<Episode>& episodes, double factor);

}  // namespace alps
