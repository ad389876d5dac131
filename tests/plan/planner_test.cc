// The planner on a world made by hand: a line on which psi is the position, the model adds the action, and the prior
// walks towards its goal at half speed. Clusters lie at 0, 1, 2, 3, 4 and are passed in order.
#include "alps/plan/planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "alps/base/error.h"

namespace alps {
namespace {

std::shared_ptr<Model> line_model() {
  auto model = std::make_shared<Model>();
  model->mean = {0};
  model->deviation = {1};
  model->action_limit = {1};
  model->representation = Mlp({Linear(1, 1, {1}, {0})});
  model->eigenvalues = {1};
  model->model = Mlp({Linear(2, 1, {0, 1}, {0})});
  model->change_mean = {0};
  model->change_deviation = {1};
  model->prior = Mlp({Linear(3, 1, {0, -0.5f, 0.5f}, {0})});  // half the way from psi to the goal's psi
  return model;
}

std::shared_ptr<ClusterGraph> line_graph() {
  auto graph = std::make_shared<ClusterGraph>();
  graph->dim = 1;
  graph->centers = {0, 1, 2, 3, 4};
  graph->sizes.assign(5, 10);
  graph->passages.assign(25, 0);
  for (int c = 0; c < 4; ++c) graph->passages[c * 5 + c + 1] = graph->passages[(c + 1) * 5 + c] = 100;
  return graph;
}

PlannerConfig config(const std::string& variant) {
  PlannerConfig c{.variant = variant, .cem = {.samples = 100, .horizon = 3, .iterations = 4}, .action_limit = 0.4};
  return c;
}

Decision act_at(Planner& planner, float at) { return planner.act(std::vector<float>{at}); }

TEST(Planner, WalksTheRouteClusterByCluster) {
  Planner planner(line_model(), line_graph(), config("alps"));
  planner.reset(std::vector<float>{4.2f}, Rng(1));
  Decision d = act_at(planner, 0.1f);
  EXPECT_EQ(d.cluster, 0);
  EXPECT_EQ(d.target, 1);
  EXPECT_EQ(d.route, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_FALSE(d.replanned);
  EXPECT_NEAR(d.subgoal[0], 1.0, 1e-6);
  EXPECT_GT(d.action[0], 0.2);

  // still on the way: nothing changes; in the target: the next one
  EXPECT_EQ(act_at(planner, 0.4f).target, 1);
  d = act_at(planner, 0.8f);
  EXPECT_TRUE(d.advanced);
  EXPECT_EQ(d.target, 2);

  // back in a cluster that lies on the route: no new route
  d = act_at(planner, 0.2f);
  EXPECT_FALSE(d.replanned);
  EXPECT_EQ(d.target, 2);

  // the last target is the goal itself, not its cluster's centre
  act_at(planner, 2.0f);
  d = act_at(planner, 3.0f);
  EXPECT_EQ(d.target, 4);
  EXPECT_NEAR(d.subgoal[0], 4.2, 1e-6);
  d = act_at(planner, 4.0f);
  EXPECT_NEAR(d.subgoal[0], 4.2, 1e-6);
  EXPECT_GT(d.action[0], 0.0);
}

TEST(Planner, DriftMakesANewRoute) {
  auto graph = line_graph();
  Planner planner(line_model(), graph, config("alps"));
  planner.reset(std::vector<float>{4.0f}, Rng(1));
  act_at(planner, 2.0f);  // route 2, 3, 4
  const Decision d = act_at(planner, 0.0f);
  EXPECT_TRUE(d.replanned);
  EXPECT_EQ(d.route, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(d.target, 1);
}

TEST(Planner, WithoutARouteItHeadsForTheGoal) {
  auto graph = line_graph();
  graph->passages[2 * 5 + 3] = graph->passages[3 * 5 + 2] = 0;
  Planner planner(line_model(), graph, config("alps"));
  planner.reset(std::vector<float>{4.0f}, Rng(1));
  const Decision d = act_at(planner, 0.0f);
  EXPECT_TRUE(d.no_route);
  EXPECT_NEAR(d.subgoal[0], 4.0, 1e-6);
  EXPECT_GT(d.action[0], 0.2);
}

TEST(Planner, APriorIsShownAFarGoalAtTheWayItKnows) {
  auto model = line_model();
  PlannerConfig c = config("prior");
  c.action_limit = 10;
  const auto action = [&](float way, double far, float goal) {
    model->prior_way = way;
    c.far = far;
    Planner planner(model, nullptr, c);
    planner.reset(std::vector<float>{goal}, Rng(1));
    return act_at(planner, 1.0f).action[0];
  };
  EXPECT_FLOAT_EQ(action(0.5f, 0, 9), 4);        // as it is: half the way of 8
  EXPECT_FLOAT_EQ(action(0.5f, 3, 2.4f), 0.7f);  // known
  EXPECT_FLOAT_EQ(action(0.5f, 3, 9), 0.25f);
  EXPECT_FLOAT_EQ(action(0.5f, 3, -7), -0.25f);
  EXPECT_FLOAT_EQ(action(0, 3, 9), 4);  // a run that does not tell
}

TEST(Planner, APassageThatLeadsNowhereIsClosed) {
  // clusters 0 and 2 seem to touch, but a wall stands between them; the way round is 0, 1, 2 with 1 off the line
  auto model = line_model();
  auto graph = std::make_shared<ClusterGraph>();
  graph->dim = 1;
  graph->centers = {0, -3, 2};
  graph->sizes.assign(3, 10);
  graph->passages = {0, 9, 9, 9, 0, 9, 9, 9, 0};
  PlannerConfig c = config("alps");
  c.patience = 5;
  Planner planner(model, graph, c);
  planner.reset(std::vector<float>{2.0f}, Rng(1));
  for (int t = 0; t < 5; ++t) {
    const Decision d = act_at(planner, 0.5f);
    EXPECT_EQ(d.target, 2);
    EXPECT_FALSE(d.detour);
  }
  Decision d = act_at(planner, 0.5f);
  EXPECT_TRUE(d.detour);
  EXPECT_EQ(d.route, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(d.target, 1);
  EXPECT_LT(d.action[0], 0);

  // a new episode starts with every passage open; without patience none is ever closed
  planner.reset(std::vector<float>{2.0f}, Rng(1));
  EXPECT_EQ(act_at(planner, 0.5f).target, 2);
  c.patience = 0;
  Planner patient(model, graph, c);
  patient.reset(std::vector<float>{2.0f}, Rng(1));
  for (int t = 0; t < 50; ++t) EXPECT_EQ(act_at(patient, 0.5f).target, 2);
}

TEST(Planner, CrossingBackAndForthClosesThatPassage) {
  // 0 - 1 - 2 - 3 in a line, and 0 - 2 by another way round; the agent goes to and fro between 0 and 1
  auto graph = line_graph();
  graph->passages[0 * 5 + 2] = graph->passages[2 * 5 + 0] = 100;
  graph->centers = {0, 1, 1.5, 3, 4};
  PlannerConfig c = config("alps");
  c.patience = 6;
  c.fall_back = 1;
  Planner planner(line_model(), graph, c);
  planner.reset(std::vector<float>{4.0f}, Rng(1));
  bool detour = false;
  for (int t = 0; t < 20 && !detour; ++t) detour = act_at(planner, t % 2 ? 0.3f : 0.8f).detour;
  EXPECT_TRUE(detour);
  EXPECT_EQ(act_at(planner, 0.3f).route, (std::vector<int>{0, 2, 3, 4}));
}

TEST(Planner, FallingBackMovesTheTargetBack) {
  PlannerConfig c = config("alps");
  c.fall_back = 2;
  Planner planner(line_model(), line_graph(), c);
  planner.reset(std::vector<float>{4.0f}, Rng(1));
  act_at(planner, 0.0f);
  EXPECT_EQ(act_at(planner, 1.0f).target, 2);
  EXPECT_EQ(act_at(planner, 2.0f).target, 3);
  // a flicker between regions changes nothing, staying behind does
  EXPECT_EQ(act_at(planner, 0.2f).target, 3);
  EXPECT_EQ(act_at(planner, 0.2f).target, 3);
  EXPECT_EQ(act_at(planner, 2.0f).target, 3);
  EXPECT_EQ(act_at(planner, 0.2f).target, 3);
  EXPECT_EQ(act_at(planner, 0.2f).target, 3);
  const Decision d = act_at(planner, 0.2f);
  EXPECT_FALSE(d.replanned);
  EXPECT_EQ(d.target, 1);
  EXPECT_EQ(act_at(planner, 1.0f).target, 2);
}

class EveryVariant : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Variants, EveryVariant, testing::ValuesIn(variant_names()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '+', '_');
  return name;
});

TEST_P(EveryVariant, ReachesTheGoalAndRepeatsItself) {
  auto walk = [&](uint64_t seed, int threads) {
    PlannerConfig c = config(GetParam());
    c.threads = threads;
    Planner planner(line_model(), line_graph(), c);
    planner.reset(std::vector<float>{3.9f}, Rng(seed));
    std::vector<float> path = {0.0f};
    for (int t = 0; t < 40; ++t) path.push_back(path.back() + act_at(planner, path.back()).action[0]);
    return path;
  };
  const std::vector<float> path = walk(1, 1);
  EXPECT_NEAR(path.back(), 3.9, 0.2);
  EXPECT_EQ(walk(1, 1), path);
  EXPECT_EQ(walk(1, 3), path);
}

TEST(Planner, WithoutProgressTheSearchNarrowsToThePrior) {
  PlannerConfig c = config("alps");
  c.patience = 1000;
  const auto after = [&](double narrow, int decisions) {
    c.narrow = narrow;
    Planner planner(line_model(), line_graph(), c);
    planner.reset(std::vector<float>{3.9f}, Rng(1));
    float action = 0;
    for (int t = 0; t < decisions; ++t) action = act_at(planner, 0.4f).action[0];
    return action;
  };
  // the prior would go half the way to the next centre, the search goes as far as it may
  EXPECT_GT(after(5, 1), 0.36);
  EXPECT_GT(after(0, 60), 0.36);
  EXPECT_NEAR(after(5, 60), 0.3, 0.001);

  // who moves on searches as widely as at first
  c.narrow = 5;
  Planner planner(line_model(), line_graph(), c);
  planner.reset(std::vector<float>{3.9f}, Rng(1));
  for (int t = 0; t < 60; ++t) act_at(planner, 0.3f);
  EXPECT_GT(act_at(planner, 0.4f).action[0], 0.36);
}

TEST(Planner, BudgetEndsTheSearch) {
  PlannerConfig c = config("alps");
  c.cem.iterations = 1000000;
  c.budget_ms = 30;
  Planner planner(line_model(), line_graph(), c);
  planner.reset(std::vector<float>{3.9f}, Rng(1));
  const Decision d = act_at(planner, 0.0f);
  EXPECT_LT(d.best_costs.size(), 1000000u);
  EXPECT_GT(d.action[0], 0.2);
}

TEST(Planner, MissingPartsAreNamed) {
  auto model = line_model();
  model->prior = {};
  EXPECT_THROW(Planner(model, line_graph(), config("alps")), Error);
  EXPECT_NO_THROW(Planner(model, line_graph(), config("dijkstra+cem")));
  EXPECT_THROW(Planner(line_model(), nullptr, config("alps")), Error);
  EXPECT_NO_THROW(Planner(line_model(), nullptr, config("cem+prior")));
  EXPECT_THROW(variant_named("djikstra+cem"), UsageError);
  auto other = line_graph();
  other->dim = 5;
  other->sizes = {1};
  EXPECT_THROW(Planner(line_model(), other, config("alps")), Error);
}

TEST(Planner, PresetsFollowThePaper) {
  const PlannerConfig paper = planner_preset("paper", "alps", "antmaze-large-navigate-v0", 29);
  EXPECT_EQ(paper.cem.samples, 500);
  EXPECT_EQ(paper.cem.horizon, 20);
  EXPECT_EQ(paper.cem.iterations, 5);
  const PlannerConfig bare = planner_preset("paper", "dijkstra+cem", "antmaze-large-navigate-v0", 29);
  EXPECT_EQ(bare.cem.samples, 5000);
  EXPECT_EQ(bare.cem.iterations, 15);
  EXPECT_EQ(bare.cem.sigma, 1.0);
  const PlannerConfig maze = planner_preset("paper", "cem", "maze2d-rooms-random-v0", 2);
  EXPECT_EQ(maze.cem.horizon, 2);
  EXPECT_EQ(maze.action_limit, 0.2);
  EXPECT_EQ(maze.cem.noise_beta, 0.9);
  EXPECT_EQ(maze.nudge, 0);  // not the paper's
  EXPECT_GT(planner_preset("fast", "cem", "maze2d-rooms-random-v0", 2).nudge, 0);
  const PlannerConfig pclast = planner_preset("fast", "cem", "visual-maze2d-rooms-random-v0", 32, "pclast");
  EXPECT_EQ(pclast.cem.elite_ratio, 0.2);
  EXPECT_EQ(pclast.cem.momentum, 0);
  // what results were measured with
  EXPECT_EQ(pclast.cem.samples, 128);
  EXPECT_EQ(pclast.cem.iterations, 5);
  EXPECT_EQ(planner_preset("fast", "alps", "pointmaze-large-navigate-v0", 2).cem.samples, 30);
  EXPECT_EQ(planner_preset("fast", "alps", "antmaze-large-navigate-v0", 29).cem.samples, 32);
  EXPECT_EQ(planner_preset("fast", "alps", "antmaze-large-navigate-v0", 29, "allo", 0.35).cem.sigma, 0.15);
  EXPECT_EQ(planner_preset("fast", "alps", "antmaze-large-explore-v0", 29, "allo", 0.7).cem.sigma, 0.2);
  EXPECT_THROW(planner_preset("slow", "alps", "x", 2), UsageError);
}

// a watcher sees what the model imagines: on this line, states are sums of actions
TEST(Planner, ShowsImaginedStatesWithoutChangingTheDecision) {
  PlannerConfig watched = config("alps");
  watched.cem.shown = 20;
  Planner plain(line_model(), line_graph(), config("alps")), shown(line_model(), line_graph(), watched);
  for (Planner* p : {&plain, &shown}) p->reset(std::vector<float>{4.2f}, Rng(1));
  for (const float at : {0.1f, 0.4f, 0.9f}) {
    const Decision a = act_at(plain, at), b = act_at(shown, at);
    EXPECT_EQ(a.plan, b.plan);
    EXPECT_EQ(a.best_costs, b.best_costs);
    EXPECT_TRUE(a.imagined.empty() && a.imagined_plan.empty());
    ASSERT_EQ(b.imagined_plan.size(), 4u);
    EXPECT_EQ(b.imagined_plan[0], at);
    EXPECT_NEAR(b.imagined_plan[3], at + b.plan[0] + b.plan[1] + b.plan[2], 1e-5);
    ASSERT_EQ(b.imagined.size(), 4u);
    for (size_t i = 0; i < b.imagined.size(); ++i) {
      const Decision::Imagined& iteration = b.imagined[i];
      EXPECT_EQ(iteration.elites, 15u);
      ASSERT_EQ(iteration.costs.size(), 20u);
      ASSERT_EQ(iteration.states.size(), 20u * 4);
      EXPECT_EQ(iteration.costs[0], b.best_costs[i]);
      EXPECT_TRUE(std::is_sorted(iteration.costs.begin(), iteration.costs.begin() + 15));
      for (size_t c = 0; c < 20; ++c) EXPECT_EQ(iteration.states[c * 4], at);
    }
    // the cheapest candidate costs what eq. 4 says of its states, up to the effort, which is at most 3 * 0.01 * 0.4^2
    double cost = 0;
    for (size_t t = 1; t < 4; ++t) cost += std::pow(b.imagined.back().states[t] - b.subgoal[0], 2);
    EXPECT_NEAR(b.imagined.back().costs[0], cost, 0.005);
  }

  // without a search there is one action to imagine
  PlannerConfig prior = watched;
  prior.variant = "dijkstra+prior";
  Planner walker(line_model(), line_graph(), prior);
  walker.reset(std::vector<float>{4.2f}, Rng(1));
  const Decision d = act_at(walker, 0.0f);
  EXPECT_EQ(d.imagined_plan.size(), 2u);
  EXPECT_TRUE(d.imagined.empty());
}

TEST(Planner, ACopyDecidesAlike) {
  Planner planner(line_model(), line_graph(), config("alps"));
  planner.reset(std::vector<float>{4.2f}, Rng(3));
  act_at(planner, 0.1f);
  Planner copy = planner;
  const Decision ahead = act_at(copy, 0.4f), now = act_at(planner, 0.4f);
  EXPECT_EQ(ahead.action, now.action);
  EXPECT_EQ(ahead.route, now.route);
}

}  // namespace
}  // namespace alps
