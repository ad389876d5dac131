// Teleports and other leaps in recorded trajectories, by one definition for training, maps and pictures. A step is a
// leap if it changes a slow column by more than ten times the change that 99 % of the steps stay within. A column is
// slow if its ordinary steps are small against its deviation, as those of a position are. An agent cannot choose where
// a leap leads. If leaps are taken for motion, psi puts both ends next to each other, and a planner walks into a trap
// (the paper's fig:teleport_issues). If episodes are cut there, both ends stay as far apart as they are without leaps.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "alps/base/geometry.h"
#include "alps/data/dataset.h"

namespace alps {

// how a column of the observations moves, measured on some 200,000 steps
struct ColumnMotion {
  float median = 0, most = 0;                // change of one step: the median, and what 99 % of the steps stay within
  float deviation = 0;                       // of the values themselves
  bool moves() const { return median > 0; }  // in more than half of the steps
  bool slow() const { return moves() && most < kSlowShare * deviation; }  // moves on and on, like a position

  static constexpr float kSlowShare = 0.1f;
};
std::vector<ColumnMotion> column_motion(const ObservationRows& rows, const std::vector<Episode>& episodes);

inline constexpr double kLeapFactor = 10;  // a leap is longer than this times what 99 % of the steps stay within

struct Leaps {
  std::vector<size_t> rows;   // after each of which the state leaps, ascending
  std::vector<float> limits;  // (columns) the change that is a leap; infinite for columns that do not move slowly
};
// Leaps are rare. Where more than 2 % of the steps would be leaps, they are ordinary motion of this world, and none is
// reported.
Leaps find_leaps(const ObservationRows& rows, const std::vector<Episode>& episodes, double factor = kLeapFactor);

// the episodes, cut after each of the rows (ascending)
std::vector<Episode> cut_after(const std::vector<Episode>& episodes, std::span<const size_t> rows);

// The same for places on a map, whether they move fast or slowly; a function gives the place of each row. Returns the
// change of x, and of y, beyond which a step is a leap (is_leap in base/geometry.h); infinite where nothing moves.
using PlaceOf = std::function<Point2(size_t row)>;
Point2 leap_limit(const PlaceOf& place, const std::vector<Episode>& episodes);
// rows after which the place leaps, ascending
std::vector<size_t> place_leaps(const PlaceOf& place, const std::vector<Episode>& episodes, Point2 limit);

}  // namespace alps
