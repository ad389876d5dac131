// The cause of each failure, and where one cause ends and the next begins.
#include "alps/eval/outcomes.h"

#include <gtest/gtest.h>

#include <set>

#include "alps/world/maze.h"

namespace alps {
namespace {

// an episode of `n` decisions, all in cluster 3, on the way to cluster 9
EpisodeRecord episode(int n) {
  EpisodeRecord record{.steps = n, .goal_cluster = 9};
  record.clusters.assign(n, 3);
  record.replanned.assign(n, false);
  return record;
}

// one that moves on: a new cluster every 20 decisions
EpisodeRecord moving(int n) {
  EpisodeRecord record = episode(n);
  for (int t = 0; t < n; ++t) record.clusters[t] = 10 + t / 20;
  return record;
}

TEST(Judge, NoRouteInMoreThanHalfOfTheDecisions) {
  EpisodeRecord record = moving(400);
  record.no_routes = 200;
  EXPECT_EQ(judge(record, false), Outcome::kOutOfTime);
  record.no_routes = 201;
  EXPECT_EQ(judge(record, false), Outcome::kNoRoute);
  EXPECT_EQ(judge(record, true), Outcome::kNoRoute);  // before anything else
}

TEST(Judge, TeleportTrap) {
  EXPECT_EQ(judge(moving(400), true), Outcome::kTeleportTrap);
  EXPECT_EQ(judge(episode(400), true), Outcome::kTeleportTrap);
}

TEST(Judge, StuckAndNearTheGoal) {
  EpisodeRecord record = episode(400);
  EXPECT_EQ(judge(record, false), Outcome::kStuck);
  record.goal_cluster = 3;
  EXPECT_EQ(judge(record, false), Outcome::kNearGoal);
  // elsewhere for most of the episode, but not in its last 200 decisions
  for (int t = 0; t < 200; ++t) record.clusters[t] = t % 7 + 20;
  EXPECT_EQ(judge(record, false), Outcome::kNearGoal);
  record.goal_cluster = 9;
  EXPECT_EQ(judge(record, false), Outcome::kStuck);
}

TEST(Judge, NineTenthsOfTheLastDecisionsAreStaying) {
  EpisodeRecord record = episode(400);
  for (int t = 200; t < 220; ++t) record.clusters[t] = 5;
  EXPECT_EQ(judge(record, false), Outcome::kStuck);  // 180 of 200
  record.clusters[220] = 5;
  EXPECT_EQ(judge(record, false), Outcome::kOutOfTime);
  // a short episode is judged as a whole
  record = episode(10);
  record.clusters[0] = 5;
  EXPECT_EQ(judge(record, false), Outcome::kStuck);
  record.clusters[1] = 5;
  EXPECT_EQ(judge(record, false), Outcome::kOutOfTime);
}

TEST(Judge, FiveReplansAreDrift) {
  EpisodeRecord record = moving(400);
  for (int t = 396; t < 400; ++t) record.replanned[t] = true;
  EXPECT_EQ(judge(record, false), Outcome::kOutOfTime);
  record.replanned[200] = true;
  EXPECT_EQ(judge(record, false), Outcome::kDrift);
  // long ago does not count
  record.replanned[200] = false;
  record.replanned[199] = true;
  EXPECT_EQ(judge(record, false), Outcome::kOutOfTime);
  // who stays in one cluster is stuck, however often it replans
  record = episode(400);
  record.replanned.assign(400, true);
  EXPECT_EQ(judge(record, false), Outcome::kStuck);
}

TEST(Judge, WithoutClustersStandingStillIsStuck) {
  EpisodeRecord record = episode(400);
  record.clusters.assign(400, -1);
  record.goal_cluster = -1;
  EXPECT_EQ(judge(record, false), Outcome::kOutOfTime);
  record.still = 179;
  EXPECT_EQ(judge(record, false), Outcome::kOutOfTime);
  record.still = 180;
  EXPECT_EQ(judge(record, false), Outcome::kStuck);
  record.still = 400;
  EXPECT_EQ(judge(record, false), Outcome::kStuck);
  // with clusters, it is they who tell
  record = moving(400);
  record.still = 400;
  EXPECT_EQ(judge(record, false), Outcome::kOutOfTime);
}

TEST(Judge, AnEpisodeWithoutDecisionsIsOutOfTime) { EXPECT_EQ(judge({}, false), Outcome::kOutOfTime); }

TEST(Outcomes, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (int o = 0; o < kOutcomes; ++o) names.insert(outcome_name(static_cast<Outcome>(o)));
  EXPECT_EQ(names.size(), static_cast<size_t>(kOutcomes));
}

TEST(TeleportTrap, IsWhereNoPathLeadsToTheGoal) {
  // two rooms without a passage between them
  Maze maze({"#######", "#..#..#", "#######"});
  const Point2 left = maze.center({1, 1}), near = maze.center({1, 2}), right = maze.center({1, 4});
  EXPECT_FALSE(trapped_by_teleport(maze, right, left));  // no teleport led there
  maze.teleport_in = {Cell{1, 2}};
  EXPECT_TRUE(trapped_by_teleport(maze, right, left));
  EXPECT_FALSE(trapped_by_teleport(maze, near, left));
  EXPECT_FALSE(trapped_by_teleport(maze, maze.center({1, 3}), left));  // inside a wall is nowhere
}

}  // namespace
}  // namespace alps
