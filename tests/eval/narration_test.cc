// An episode in words, on a point maze with a model made by hand: psi is the place, so that the planner heads straight
// for its subgoal.
#include "alps/eval/narration.h"

#include <gtest/gtest.h>

#include "alps/eval/episode_runner.h"
#include "alps/world/catalog.h"
#include "alps/world/maze.h"
#include "walker.h"

namespace alps {
namespace {

std::string kinds(const std::vector<Event>& events) {
  std::string all;
  for (const Event& e : events) all += (all.empty() ? "" : " ") + e.kind;
  return all;
}

TEST(Narrator, TellsAnEpisodeInWords) {
  const auto env = make_env("pointmaze-medium-v0");
  Planner planner = walker();
  EpisodeRunner runner(*env, planner);
  Narrator narrator;
  runner.start(Point2{0, 0}, Point2{3.9, 0}, Rng(1));
  std::vector<Event> all;
  while (!runner.done()) {
    const Decision& d = runner.step();
    for (Event& e : narrator.after(runner.record(), d, runner.done())) all.push_back(std::move(e));
  }
  EXPECT_EQ(kinds(all), "route last success");
  EXPECT_EQ(all[0].text, "in cluster 0, the goal is in cluster 1: a route over 2 regions");
  EXPECT_EQ(all.back().step, runner.record().steps);
}

TEST(Narrator, NamesDriftClosedPassagesAndTraps) {
  Narrator narrator({4, 4});
  EpisodeRecord record{.steps = 9, .path = {{0, 0}, {0.2, 0}}, .clusters = {3}};
  Decision d;
  d.cluster = 12;
  d.target = 4;
  d.goal_cluster = 5;
  d.route = {12, 4, 5};
  d.replanned = true;
  const Event drift = narrator.after(record, d, false)[0];
  EXPECT_EQ(drift.text, "drifted to cluster 12, off the route: replanned, 2 regions ahead");
  EXPECT_EQ(drift.brief, "drifted to cluster 12, new route");
  EXPECT_EQ(drift.step, 8);
  d.replanned = false;
  d.detour = true;
  d.closed_from = 4;
  d.closed_to = 7;
  EXPECT_EQ(narrator.after(record, d, false)[0].text,
            "no progress for a while: passage 4 - 7 closed, going round it, 2 regions ahead");
  d.detour = false;
  d.no_route = true;
  EXPECT_EQ(kinds(narrator.after(record, d, false)), "no_route");
  EXPECT_EQ(kinds(narrator.after(record, d, false)), "");  // said once
  record.path.push_back({20, 8});
  const auto leap = narrator.after(record, d, false);
  ASSERT_EQ(kinds(leap), "teleport");
  EXPECT_NE(leap[0].text.find("from (0.2, 0.0) to (20.0, 8.0)"), std::string::npos);
  record.outcome = Outcome::kTeleportTrap;
  EXPECT_NE(narrator.after(record, d, true).back().text.find("no path leads to the goal"), std::string::npos);
}

TEST(Narrator, ADecisionAloneTellsTheSame) {
  // films see decisions before they are acted on, and no record
  Narrator film, page;
  Decision d;
  d.cluster = d.target = 1;
  d.goal_cluster = 1;
  d.route = {1};
  EpisodeRecord record{.steps = 1, .path = {{0, 0}, {1, 0}}};
  const auto a = film.decided(0, d), b = page.after(record, d, false);
  EXPECT_EQ(kinds(a), "route last");
  EXPECT_EQ(kinds(b), kinds(a));
  d.detour = true;
  d.closed_from = 0;
  d.closed_to = 1;
  EXPECT_EQ(film.decided(1, d)[0].brief, "no way on in cluster 1, another route");
}

TEST(Narrator, TellsEveryEpisodeFromItsBeginning) {
  Narrator narrator;
  Decision last, none;
  last.cluster = last.target = last.goal_cluster = 1;
  last.route = {1};
  none.cluster = 0;
  none.goal_cluster = 1;
  none.no_route = true;
  for (int episode = 0; episode < 2; ++episode) {
    EXPECT_EQ(kinds(narrator.decided(0, last)), "route last");
    EXPECT_EQ(kinds(narrator.decided(1, last)), "");
  }
  for (int episode = 0; episode < 2; ++episode) EXPECT_EQ(kinds(narrator.decided(0, none)), "no_route");
}

TEST(Narrator, APolicyWithoutRegionsHasAStoryToo) {
  Narrator narrator;
  EpisodeRecord record{.steps = 1, .path = {{0, 0}, {1, 0}}, .clusters = {-1}, .replanned = {false}};
  EXPECT_EQ(narrator.after(record, {}, false)[0].text, "decides without regions: heads straight for the goal");
  record.outcome = Outcome::kStuck;
  record.still = 77;
  const std::string end = narrator.after(record, {}, true).back().text;
  EXPECT_NE(end.find("stood still for the last 77 decisions"), std::string::npos);
  EXPECT_EQ(end.find("cluster"), std::string::npos);
  record.clusters = {0};
  EXPECT_NE(outcome_text(record).find("stuck in cluster 0"), std::string::npos);
}

}  // namespace
}  // namespace alps
