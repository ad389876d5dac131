// Things that rest while others move: the cubes, drawers and buttons before a robot's arm, a block that is pushed. A
// factor is a group of columns of the observation that hold one such thing. Most of the time its columns stay as they
// are, when they move they move together, and where they come to rest differs from time to time. Something else, the
// agent, moves nearly always and makes them move. Where data have factors, training learns their moves (data/moves.h),
// and the planner finds the order of moves (plan/move_route.h). Where there are none, as in mazes, nothing changes.
//
// A column is at rest where it changes by no more than a tenth of its root mean square change, for five steps or more.
// Factors are found in these steps (figures from a sample of some 200,000 rows):
//   1. the agent: some column rests for less than a tenth of the time and moves in more than half of the steps;
//      without one there are no factors;
//   2. candidates rest for three tenths of the time or more, at values that differ; velocities always rest at 0;
//   3. candidates whose moving steps overlap by six tenths or more, both ways, make a group;
//   4. a group is a factor if its usual move leads somewhere: by a tenth of a deviation or more, 20 times or more;
//   5. and if no column outside of all groups tells its values: whether a gripper holds something shows in how far it
//      is open, so that a sensor of contact is a part of the agent.
//   6. Of a factor's columns those remain that its moves bring anywhere: the mean change in a move is 0.42 of the mean
//      difference of any two resting values, or more. It is 0.5 to 1 for places, and 0.35 at most for rotations: a hand
//      that turns a cube by 45 degrees at most brings it to any place, but not to any angle, and a cube that fell on
//      its side stays so. A goal's angle may be beyond what moves can do, and is not asked for.
// Columns derived from the agent and a factor, such as the place of one relative to the other, move with the agent and
// belong to it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "alps/base/profile.h"
#include "alps/data/dataset.h"

namespace alps {

struct Factors {
  std::vector<std::vector<size_t>> columns;  // of each factor, ascending; empty: the state is one whole

  bool empty() const { return columns.empty(); }
  size_t size() const { return columns.size(); }
  std::vector<size_t> all() const;  // the columns of all factors, one factor after the other
};

// "19-27/28-36,38": columns of each factor, factors apart by a slash; "none"
std::string factors_text(const Factors& factors);
// UsageError for a text that is none, or names a column twice or beyond `columns`
Factors factors_named(const std::string& text, size_t columns);

Factors find_factors(const ObservationRows& observations, const std::vector<Episode>& episodes);

// All columns of the thing that each factor is a part of: its own, and those that move when it moves and rest when it
// rests, such as a cube's rotation. No column belongs to two things.
std::vector<std::vector<size_t>> thing_columns(const ObservationRows& observations,
                                               const std::vector<Episode>& episodes, const Factors& factors);

inline constexpr float kRestChange = 0.1f;  // of a column's root mean square change: less is rest
inline constexpr size_t kShortestRest = 5;  // steps

struct FactorSettings {
  std::string factors = "none";
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("factors", s.factors, Choices{},
          "things that rest while others move, found from the data: columns of each, such as 19-27/28-36 for two of "
          "them; "
          "none: the state is one whole. Give them where what was found is not what you know");
  }
};

}  // namespace alps
