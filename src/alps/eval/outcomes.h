// What happened in an episode, and how it ended: the record that evaluation keeps of each, and the cause that is given
// to each failure. The census of failures of `alps eval`, the report and the page's last line all come from `judge`.
#pragma once

#include <vector>

#include "alps/base/geometry.h"

namespace alps {

class Maze;

enum class Outcome {
  kSuccess,
  kNoRoute,       // the graph knew no way to the goal in more than half of the decisions
  kTeleportTrap,  // the episode ended where no path leads to the goal, behind a teleport
  kNearGoal,      // stayed in the goal's cluster without reaching the goal
  kStuck,         // stayed in one other cluster; without clusters: stood still
  kDrift,         // left its route again and again
  kOutOfTime,     // moved on, but too slowly
};
inline constexpr int kOutcomes = 7;
const char* outcome_name(Outcome outcome);

struct EpisodeRecord {
  int task = 0, index = 0;
  Outcome outcome = Outcome::kOutOfTime;
  bool success = false;
  int steps = 0;
  int replans = 0, no_routes = 0;
  double goal_distance = 0;  // in the world, at the end
  Point2 start, goal;
  std::vector<Point2> path;           // position before each step, and the last
  std::vector<float> decision_ms;     // of each decision
  std::vector<float> goal_distances;  // of each decision: the policy's, in psi
  std::vector<int> clusters;          // of each decision; -1 where the policy has none
  std::vector<bool> replanned;        // of each decision
  std::vector<int> first_route;       // the first high-level plan
  int goal_cluster = -1;              // as the last decision has it
  int still = 0;                      // decisions at the end in which the observation hardly changed (StillCount)
};

// The cause of a failure, read from the last 200 decisions (fewer, where the episode was shorter). `trapped`: a
// teleport has led to where no path leads to the goal.
Outcome judge(const EpisodeRecord& record, bool trapped);

// whether the agent is where no path of this maze leads to the goal; only mazes with teleports have such places
bool trapped_by_teleport(const Maze& maze, Point2 at, Point2 goal);

}  // namespace alps
