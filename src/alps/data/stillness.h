// Stretches of recorded trajectories in which hardly anything happens: an ant on its back, a body wedged into a corner.
// They teach nothing about the way from one place to another, but eigenvectors and regions are drawn to them, for
// nothing is slower than not getting away.
#pragma once

#include <vector>

#include "alps/data/dataset.h"

namespace alps {

// Episodes without the stretches of 50 steps or more over which the state covers less than `share` of what it covers in
// the median: the root of the sum of squares of the columns' ranges, each in units of the column's deviation. Episodes
// shorter than that stay as they are.
std::vector<Episode> leave_out_still(const ObservationRows& observations, const std::vector<Episode>& episodes,
                                     double share);

}  // namespace alps
