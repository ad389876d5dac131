#include "alps/eval/outcomes.h"

#include <algorithm>

#include "alps/base/error.h"
#include "alps/world/maze.h"

namespace alps {
namespace {

constexpr size_t kLookBack = 200;  // decisions at the end of a failed episode that tell why it failed
constexpr double kStays = 0.9;     // share of them in one cluster, or standing still, that counts as stuck
constexpr int kDriftReplans = 5;   // replans among them that count as drift

}  // namespace

Outcome judge(const EpisodeRecord& record, bool trapped) {
  ALPS_CHECK(record.replanned.size() == record.clusters.size());
  if (2 * record.no_routes > record.steps) return Outcome::kNoRoute;
  if (trapped) return Outcome::kTeleportTrap;
  const size_t n = record.clusters.size(), seen = std::min(n, kLookBack), from = n - seen;
  const int last = n > 0 ? record.clusters.back() : -1;
  const auto same = last < 0 ? record.still : std::count(record.clusters.begin() + from, record.clusters.end(), last);
  const bool stays = n > 0 && static_cast<double>(same) >= kStays * static_cast<double>(seen);
  if (stays) return last >= 0 && last == record.goal_cluster ? Outcome::kNearGoal : Outcome::kStuck;
  if (std::count(record.replanned.begin() + from, record.replanned.end(), true) >= kDriftReplans)
    return Outcome::kDrift;
  return Outcome::kOutOfTime;
}

bool trapped_by_teleport(const Maze& maze, Point2 at, Point2 goal) {
  if (maze.teleport_in.empty()) return false;
  const Cell here = maze.cell(at);
  return maze.free(here) && maze.distances(maze.cell(goal))[here.i * maze.width() + here.j] == -1;
}

const char* outcome_name(Outcome outcome) {
  static constexpr const char* kNames[kOutcomes] = {"success",
                                                    "no route",
                                                    "trapped by a teleport",
                                                    "stuck near the goal",
                                                    "stuck in one place",
                                                    "drift between clusters",
                                                    "out of time"};
  return kNames[static_cast<int>(outcome)];
}

}  // namespace alps
