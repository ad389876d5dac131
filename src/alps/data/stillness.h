// Stretches of recorded trajectories in which hardly anything moves: an ant on its back, a body wedged into a corner.
// They say nothing about the way from one place to another. But they are the slowest states of the data, so that many
// eigenfunctions and regions would be spent on them.
#pragma once

#include <vector>

#include "alps/data/dataset.h"

namespace alps {

// Episodes without their still stretches: windows of 50 steps over which the state covers less than `share` of what it
// covers in the median window. What a window covers is the root of the sum of squares of the columns' ranges, each in
// units of the column's deviation. Episodes of fewer steps stay as they are.
std::vector<Episode> leave_out_still(const ObservationRows& observations, const std::vector<Episode>& episodes,
                                     double share);

}  // namespace alps
