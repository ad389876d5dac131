// Stretches of recorded trajectories in which hardly anything moves: an ant on its back, a body wedged into a corner.
// They say nothing about the way from one place to another. But they are the slowest states of the data, so that many
// eigenfunctions and regions would be spent on them. Rest is another thing: a body that pauses and goes on, or a robot
// that waits at its goal, stands still where ways begin and end. What tells the two apart is whether stillness is ever
// left again.
#pragma once

#include <vector>

#include "alps/data/dataset.h"

namespace alps {

// The stretches of the episodes that are still, in order: windows of 50 steps over which the state covers less than
// `share` of what it covers in the median window. What a window covers is the root of the sum of squares of the
// columns' ranges, each in units of the column's deviation. Episodes of fewer steps have none.
std::vector<Episode> still_stretches(const ObservationRows& observations, const std::vector<Episode>& episodes,
                                     double share);
// the episodes without them
std::vector<Episode> leave_out_still(const ObservationRows& observations, const std::vector<Episode>& episodes,
                                     double share);
// The share of the stretches that end before their episode does; 1 where there is none.
double share_left_again(const std::vector<Episode>& stretches, const std::vector<Episode>& episodes);

}  // namespace alps
