// Teleports and other leaps in recorded trajectories, by one definition for training, maps and pictures. A step is a
// leap if it changes some column by more than ten times the change that 99 % of the steps stay within, and that column
// otherwise moves slowly: its ordinary steps are small against its deviation, as those of a position are. Leaps are
// nothing an agent can count on: where they are taken for motion, places at both ends look near each other, and a
// planner walks into a trap (the paper's fig:teleport_issues). Cutting the episodes there keeps the two ends as far
// apart as they are on foot.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "alps/base/geometry.h"
#include "alps/data/dataset.h"

namespace alps {

// how a column of the observations moves, measured on some 200,000 steps
struct ColumnMotion {
  float median = 0, most = 0;                // change of a step: of half of the steps, of 99 % of them at most
  float deviation = 0;                       // of the values themselves
  bool moves() const { return median > 0; }  // in more than half of the steps
  bool slow() const { return moves() && most < kSlowShare * deviation; }  // moves on and on, like a position

  static constexpr float kSlowShare = 0.1f;
};
std::vector<ColumnMotion> column_motion(const ObservationRows& rows, const std::vector<Episode>& episodes);

inline constexpr double kLeapFactor = 10;  // a leap is so many times as long as 99 % of the steps at most

struct Leaps {
  std::vector<size_t> rows;   // after each of which the state leaps, ascending
  std::vector<float> limits;  // (columns) the change that is a leap; infinite for columns that do not move slowly
};
// Leaps are rare. Where more than two steps in a hundred would be leaps they are the way of the world, and none is
// found.
Leaps find_leaps(const ObservationRows& rows, const std::vector<Episode>& episodes, double factor = kLeapFactor);

// the episodes, cut after each of the rows (ascending)
std::vector<Episode> cut_after(const std::vector<Episode>& episodes, std::span<const size_t> rows);

// The same for places on a map, each row's given by a function, fast or slow: the change of x, and of y, beyond which a
// step is a leap (is_leap in base/geometry.h); infinite where it does not move.
using PlaceOf = std::function<Point2(size_t row)>;
Point2 leap_limit(const PlaceOf& place, const std::vector<Episode>& episodes);
// rows after which the place leaps, ascending
std::vector<size_t> place_leaps(const PlaceOf& place, const std::vector<Episode>& episodes, Point2 limit);

}  // namespace alps
