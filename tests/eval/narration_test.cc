// An episode step by step and in words, on a point maze with a model made by hand: psi is the place, so that the
// planner heads straight for its subgoal.
#include "alps/eval/narration.h"

#include <gtest/gtest.h>

#include "alps/eval/episode_runner.h"
#include "alps/world/catalog.h"
#include "alps/world/maze.h"

namespace alps {
namespace {

std::shared_ptr<Model> place_model() {
  auto model = std::make_shared<Model>();
  model->mean = {0, 0};
  model->deviation = {1, 1};
  model->representation = Mlp({Linear(2, 2, {1, 0, 0, 1}, {0, 0})});
  model->eigenvalues = {1, 1};
  model->model = Mlp({Linear(4, 2, {0, 0, 0.2f, 0, 0, 0, 0, 0.2f}, {0, 0})});
  model->change_mean = {0, 0};
  model->change_deviation = {1, 1};
  return model;
}

std::shared_ptr<ClusterGraph> two_regions() {
  auto graph = std::make_shared<ClusterGraph>();
  graph->dim = 2;
  graph->centers = {0, 0, 4, 0};
  graph->sizes = {10, 10};
  graph->passages = {0, 9, 9, 0};
  return graph;
}

Planner planner_of(const std::shared_ptr<ClusterGraph>& graph) {
  return Planner(place_model(), graph, planner_preset("fast", "dijkstra+cem", "pointmaze-medium-navigate-v0", 2));
}

std::string kinds(const std::vector<Event>& events) {
  std::string all;
  for (const Event& e : events) all += (all.empty() ? "" : " ") + e.kind;
  return all;
}

TEST(EpisodeRunner, GoesStepByStepWhereTheEvaluationGoes) {
  const auto env = make_env("pointmaze-medium-v0", {.max_episode_steps = 40});
  Planner one = planner_of(two_regions()), other = planner_of(two_regions());
  const EpisodeRecord whole = run_episode(*env, one, 1, 0, Rng(7));
  EpisodeRunner runner(*env, other);
  runner.start(1, 0, Rng(7));
  while (!runner.done()) {
    const Decision next = runner.preview();
    EXPECT_EQ(next.action, runner.step().action);  // looking ahead changes nothing
  }
  EXPECT_EQ(runner.record().path, whole.path);
  EXPECT_EQ(runner.record().outcome, whole.outcome);
  EXPECT_EQ(whole.path.size(), static_cast<size_t>(whole.steps) + 1);
}

TEST(EpisodeRunner, AnotherPlannerTakesOverOnTheWay) {
  const auto env = make_env("pointmaze-medium-v0");
  Planner one = planner_of(two_regions()), other = planner_of(two_regions());
  EpisodeRunner runner(*env, one);
  runner.start(Point2{0, 0}, Point2{3.5, 0}, Rng(1));
  for (int t = 0; t < 5; ++t) runner.step();
  runner.replace(other, Rng(2));
  while (!runner.done()) runner.step();
  EXPECT_TRUE(runner.record().success);
  EXPECT_EQ(runner.record().goal, (Point2{3.5, 0}));
}

TEST(Narrator, TellsAnEpisodeInWords) {
  const auto env = make_env("pointmaze-medium-v0");
  Planner planner = planner_of(two_regions());
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
  Narrator narrator(true);
  EpisodeRecord record{.steps = 9, .path = {{0, 0}, {0.2, 0}}, .clusters = {3}};
  Decision d;
  d.cluster = 12;
  d.target = 4;
  d.goal_cluster = 5;
  d.route = {12, 4, 5};
  d.replanned = true;
  EXPECT_EQ(narrator.after(record, d, false)[0].text,
            "drifted to cluster 12, off the route: replanned, 2 regions ahead");
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

}  // namespace
}  // namespace alps
