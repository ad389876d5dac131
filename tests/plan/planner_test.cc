// The planner put together, on the line world: routes, variants, budgets, limits, and what is refused.
#include "alps/plan/planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../base/temp_folder.h"
#include "line_world.h"

namespace alps {
namespace {

Decision act_at(Planner& planner, float at) { return planner.act(std::vector<float>{at}); }

Planner planner_of(const std::string& variant = "alps", const PlannerSettings& settings = line_settings()) {
  return Planner(line_model(), line_graph(), variant, settings);
}

TEST(Planner, HeadsForTheNextCluster) {
  Planner planner = planner_of();
  planner.reset(std::vector<float>{4.2f}, Rng(1));
  Decision d = act_at(planner, 0.1f);
  EXPECT_EQ(d.cluster, 0);
  EXPECT_EQ(d.target, 1);
  EXPECT_NEAR(d.goal_distance, 4.1, 1e-5);
  EXPECT_NEAR(d.subgoal_distance, 0.9, 1e-5);
  EXPECT_GT(d.action[0], 0.2);
  // in the goal's own cluster the goal itself is the subgoal
  planner.reset(std::vector<float>{4.2f}, Rng(1));
  d = act_at(planner, 4.0f);
  EXPECT_NEAR(d.subgoal[0], 4.2, 1e-6);
  EXPECT_GT(d.action[0], 0.0);
  EXPECT_GT(d.embed_ms, 0);
  EXPECT_GT(d.propose_ms, 0);
  EXPECT_GT(d.search_ms, 0);
  EXPECT_GE(d.total_ms, d.embed_ms + d.propose_ms + d.search_ms);
}

TEST(Planner, WithoutARouteTheSubgoalIsTheGoal) {
  Planner planner = planner_of("cem+prior");
  planner.reset(std::vector<float>{4.0f}, Rng(1));
  const Decision d = act_at(planner, 1.0f);
  EXPECT_EQ(d.cluster, -1);
  EXPECT_EQ(d.goal_cluster, -1);
  EXPECT_TRUE(d.route.empty());
  EXPECT_EQ(d.subgoal, std::vector<float>{4});
  EXPECT_EQ(d.subgoal_distance, 3);
  EXPECT_EQ(d.goal_distance, 3);
}

TEST(Planner, WhatTheDataNeverReachIsNoPartOfTheGoal) {
  const auto graph = line_graph();
  graph->low = {0}, graph->high = {9};  // 9 was seen in first rows only
  graph->reached_low = {0}, graph->reached_high = {4};
  const auto goal_distance = [&](float goal, bool clip) {
    PlannerSettings settings = line_settings();
    settings.clip_goal = clip;
    Planner planner(line_model(), graph, "alps", settings);
    planner.reset(std::vector<float>{goal}, Rng(1));
    return act_at(planner, 1.0f).goal_distance;
  };
  EXPECT_NEAR(goal_distance(9, true), 3, 1e-5);
  EXPECT_NEAR(goal_distance(9, false), 8, 1e-5);
  EXPECT_NEAR(goal_distance(-2, true), 1, 1e-5);
  EXPECT_NEAR(goal_distance(3.5f, true), 2.5, 1e-5);
  EXPECT_EQ(goal_distance(3.5f, true), goal_distance(3.5f, false));
}

TEST(Planner, ActionsAreInTheUnitsOfTheData) {
  Planner planner = planner_of("dijkstra+prior");
  planner.reset(std::vector<float>{4.0f}, Rng(1));
  // half the way to the next centre is 0.3; half of a longer one is more than the limit
  EXPECT_NEAR(act_at(planner, 0.4f).action[0], 0.3, 1e-6);
  EXPECT_EQ(act_at(planner, 0.0f).action[0], kLineLimit);
  Planner search = planner_of();
  search.reset(std::vector<float>{4.0f}, Rng(1));
  const Decision d = act_at(search, 0.0f);
  ASSERT_EQ(d.plan.size(), 3u);
  EXPECT_EQ(d.action[0], d.plan[0]);
  for (const float a : d.plan) EXPECT_LE(std::abs(a), kLineLimit);
  EXPECT_GT(d.plan[0], 0.9f * kLineLimit);
}

TEST(Planner, TellsItsSizes) {
  const Planner planner = planner_of("alps");
  EXPECT_EQ(planner.observation_size(), 1u);
  EXPECT_EQ(planner.action_size(), 1u);
  EXPECT_EQ(planner.spec().observation_shape, Shape{1});
  EXPECT_FALSE(planner.spec().image);
  EXPECT_EQ(planner.spec().actions.limit, std::vector<float>{kLineLimit});
  EXPECT_EQ(planner.variant(), "alps");
  EXPECT_EQ(planner.regions()->clusters(), 5u);
  EXPECT_EQ(planner_of("cem").regions(), nullptr);
}

TEST(Planner, ANudgeFreesWhoDecidesInTheSameStateAgain) {
  PlannerSettings s = line_settings();
  const auto third = [&](double nudge) {
    s.nudge = nudge;
    Planner planner = planner_of("dijkstra+prior", s);
    planner.reset(std::vector<float>{4.0f}, Rng(1));
    std::vector<float> actions;
    for (int t = 0; t < 20; ++t) actions.push_back(act_at(planner, t < 10 ? 0.4f : 0.4f + 0.01f * t).action[0]);
    return actions;
  };
  const auto still = third(0), nudged = third(0.5);
  for (int t = 1; t < 10; ++t) EXPECT_EQ(still[t], still[0]);
  EXPECT_EQ(nudged[0], still[0]);  // a state that is seen for the first time
  EXPECT_NE(nudged[1], still[1]);
  for (const float a : nudged) EXPECT_LE(std::abs(a), kLineLimit);
  for (int t = 10; t < 20; ++t) EXPECT_EQ(nudged[t], still[t]);
}

TEST(Planner, WhoMakesNoProgressForLongIsNudgedForAWhile) {
  PlannerSettings s = line_settings();
  const auto actions = [&](double nudge) {
    s.nudge = nudge;
    Planner planner = planner_of("dijkstra+prior", s);
    planner.reset(std::vector<float>{4.0f}, Rng(1));
    std::vector<float> taken;
    // never the same state, never nearer: from 0.4 back
    for (int t = 0; t < 100; ++t) taken.push_back(act_at(planner, 0.4f - 1e-4f * static_cast<float>(t)).action[0]);
    return taken;
  };
  const auto still = actions(0), nudged = actions(0.2);
  std::vector<int> when;
  for (int t = 0; t < 100; ++t)
    if (nudged[t] != still[t]) when.push_back(t + 1);
  ASSERT_EQ(when.size(), 24u);
  EXPECT_EQ(when[0], 41);
  EXPECT_EQ(when[11], 52);
  EXPECT_EQ(when[12], 81);
  // the same noise for the whole while
  EXPECT_NEAR(nudged[51] - still[51], nudged[40] - still[40], 1e-5);
  EXPECT_GT(std::abs((nudged[80] - still[80]) - (nudged[40] - still[40])), 1e-3);
}

TEST(Planner, UnrestIsNewAtEveryDecisionWithoutProgress) {
  PlannerSettings s = line_settings();
  const auto actions = [&](double unrest) {
    s.nudge = 0.2, s.unrest = unrest;
    Planner planner = planner_of("dijkstra+prior", s);
    planner.reset(std::vector<float>{4.0f}, Rng(1));
    std::vector<float> taken;
    for (int t = 0; t < 60; ++t) taken.push_back(act_at(planner, 0.4f - 1e-4f * static_cast<float>(t)).action[0]);
    // and the same state again
    for (int t = 0; t < 2; ++t) taken.push_back(act_at(planner, 0.3f).action[0]);
    taken.push_back(act_at(planner, 0.9f).action[0]);  // progress
    return taken;
  };
  const auto little = actions(1e-9), much = actions(0.1);
  for (int t = 0; t < 40; ++t) EXPECT_EQ(little[t], much[t]) << t;
  double square = 0;
  for (int t = 40; t < 60; ++t) {
    const double noise = much[t] - little[t];
    square += noise * noise / 20;
    if (t == 40) continue;
    EXPECT_GT(std::abs(noise - (much[t - 1] - little[t - 1])), 1e-6) << t;
  }
  EXPECT_NEAR(std::sqrt(square), 0.1 * kLineLimit, 0.05 * kLineLimit);
  EXPECT_NE(little[61], little[60]);  // nudged all the same
  EXPECT_EQ(little[62], much[62]);
}

class EveryVariant : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Variants, EveryVariant, testing::ValuesIn(variant_names()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '+', '_');
  return name;
});

TEST_P(EveryVariant, ReachesTheGoalAndRepeatsItself) {
  auto walk = [&](uint64_t seed, int threads) {
    PlannerSettings s = line_settings();
    s.threads = threads;
    Planner planner = planner_of(GetParam(), s);
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

TEST(Planner, WithoutProgressThePriorActsAloneForAWhile) {
  PlannerSettings s = line_settings();
  const auto after = [&](int doubt, int decisions) {
    s.doubt = doubt;
    Planner planner = planner_of("alps", s);
    planner.reset(std::vector<float>{3.9f}, Rng(1));
    float action = 0;
    for (int t = 0; t < decisions; ++t) action = act_at(planner, 0.4f).action[0];
    return action;
  };
  // the prior would go half the way to the next centre, the search goes as far as it may
  EXPECT_GT(after(5, 1), 0.36);
  EXPECT_GT(after(0, 60), 0.36);
  EXPECT_GT(after(5, 6), 0.36);
  for (const int decisions : {7, 26}) EXPECT_FLOAT_EQ(after(5, decisions), 0.3f) << decisions;
  EXPECT_GT(after(5, 27), 0.36);

  // progress does not end the doubt
  s.doubt = 5;
  Planner planner = planner_of("alps", s);
  planner.reset(std::vector<float>{3.9f}, Rng(1));
  for (int t = 0; t < 10; ++t) act_at(planner, 0.3f);
  EXPECT_FLOAT_EQ(act_at(planner, 0.4f).action[0], 0.3f);
  EXPECT_TRUE(act_at(planner, 0.9f).best_costs.empty());
}

TEST(Planner, BudgetEndsTheSearch) {
  PlannerSettings s = line_settings();
  s.iterations = 1000000;
  s.budget_ms = 30;
  Planner planner = planner_of("alps", s);
  planner.reset(std::vector<float>{3.9f}, Rng(1));
  const Decision d = act_at(planner, 0.0f);
  EXPECT_LT(d.best_costs.size(), 1000000u);
  EXPECT_GT(d.action[0], 0.2);
}

TEST(Planner, MissingPartsAreNamed) {
  auto model = line_model();
  model->prior = {};
  EXPECT_NE(error_of([&] { Planner(model, line_graph(), "alps"); }).find("behaviour prior"), std::string::npos);
  EXPECT_NO_THROW(Planner(model, line_graph(), "dijkstra+cem"));
  EXPECT_NE(error_of([&] { Planner(line_model(), nullptr, "alps"); }).find("graph.npz"), std::string::npos);
  EXPECT_NO_THROW(Planner(line_model(), nullptr, "cem+prior"));
  EXPECT_NE(error_of([&] { Planner(nullptr, line_graph(), "alps"); }).find("needs a model"), std::string::npos);
  EXPECT_THROW(Planner(line_model(), line_graph(), "djikstra+cem"), UsageError);
  model = line_model();
  model->model = {};
  model->change_mean = model->change_deviation = {};
  EXPECT_THROW(Planner(model, line_graph(), "alps"), Error);
  EXPECT_NO_THROW(Planner(model, line_graph(), "dijkstra+prior"));
  model->representation = {};
  EXPECT_THROW(Planner(model, line_graph(), "dijkstra+prior"), Error);
}

TEST(Planner, PartsThatDoNotFitAreRefused) {
  auto other = line_graph();
  other->dim = 5;
  other->sizes = {1};
  EXPECT_THROW(Planner(line_model(), other, "alps"), Error);
  EXPECT_THROW(Planner(line_model(), std::make_shared<ClusterGraph>(), "alps"), Error);
  const auto broken = [](const std::function<void(Model&)>& spoil) {
    auto model = line_model();
    spoil(*model);
    return error_of([&] { Planner(model, line_graph(), "alps"); });
  };
  EXPECT_FALSE(broken([](Model& m) { m.actions.limit = {1, 1}; }).empty());
  EXPECT_FALSE(broken([](Model& m) { m.actions.limit = {}; }).empty());
  EXPECT_FALSE(broken([](Model& m) { m.mean = {0, 0}; }).empty());
  EXPECT_FALSE(broken([](Model& m) { m.deviation = {}; }).empty());
  EXPECT_FALSE(broken([](Model& m) { m.change_mean = {}; }).empty());
  EXPECT_FALSE(broken([](Model& m) { m.representation = Mlp({Linear(2, 1, {0, 0}, {0})}); }).empty());
  EXPECT_FALSE(broken([](Model& m) { m.model = Mlp({Linear(3, 1, {0, 0, 0}, {0})}); }).empty());
  EXPECT_FALSE(broken([](Model& m) { m.prior = Mlp({Linear(2, 1, {0, 0}, {0})}); }).empty());
  EXPECT_EQ(broken([](Model&) {}), "");
}

TEST(Planner, SettingsOutOfRangeAreRefused) {
  PlannerSettings s;
  s.samples = 0;
  EXPECT_THROW(planner_of("alps", s), UsageError);
  s = {};
  s.budget_ms = -1;
  EXPECT_THROW(planner_of("alps", s), UsageError);
  s = {};
  s.precision = "fp99";
  EXPECT_THROW(planner_of("alps", s), UsageError);
}

TEST(Planner, WrongObservationsAreRefusedAndChangeNothing) {
  Planner planner = planner_of();
  EXPECT_NE(error_of([&] { act_at(planner, 0); }).find("call reset"), std::string::npos);
  planner.reset(std::vector<float>{4.0f}, Rng(1));
  Planner other = planner;
  EXPECT_NE(error_of([&] { planner.act(std::vector<float>{0, 1}); }).find("has 1 numbers, not 2"), std::string::npos);
  EXPECT_NE(error_of([&] { planner.act(std::vector<float>{NAN}); }).find("not finite"), std::string::npos);
  EXPECT_NE(error_of([&] { planner.act(std::vector<uint8_t>{1}); }).find("not bytes"), std::string::npos);
  EXPECT_FALSE(error_of([&] { planner.reset(std::vector<float>{}, Rng(2)); }).empty());
  EXPECT_EQ(act_at(planner, 0.1f).action, act_at(other, 0.1f).action);
}

// a watcher sees what the model imagines: on this line, states are sums of actions
TEST(Planner, ShowsImaginedStatesWithoutChangingTheDecision) {
  PlannerSettings watched = line_settings();
  watched.shown = 20;
  Planner plain = planner_of(), shown = planner_of("alps", watched);
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
    // the cheapest candidate costs what eq. 4 says of its states and actions
    double cost = 0;
    for (size_t t = 1; t < 4; ++t) {
      const auto& states = b.imagined.back().states;
      const double u = (states[t] - states[t - 1]) / kLineLimit;
      cost += std::pow(states[t] - b.subgoal[0], 2) + 0.01 * u * u;
    }
    EXPECT_NEAR(b.imagined.back().costs[0], cost, 1e-4);
  }

  // without a search there is one action to imagine
  Planner walker = planner_of("dijkstra+prior", watched);
  walker.reset(std::vector<float>{4.2f}, Rng(1));
  const Decision d = act_at(walker, 0.0f);
  EXPECT_EQ(d.imagined_plan.size(), 2u);
  EXPECT_TRUE(d.imagined.empty());
}

TEST(Planner, ACloneDecidesAlikeAndForItself) {
  Planner planner = planner_of();
  planner.reset(std::vector<float>{4.2f}, Rng(3));
  act_at(planner, 0.1f);
  const std::unique_ptr<Policy> clone = planner.clone(), idle = planner.clone();
  const Decision ahead = clone->act(std::vector<float>{0.4f});
  clone->act(std::vector<float>{1.0f});
  const Decision now = act_at(planner, 0.4f);
  EXPECT_EQ(ahead.action, now.action);
  EXPECT_EQ(ahead.plan, now.plan);
  EXPECT_EQ(ahead.route, now.route);
  EXPECT_EQ(idle->act(std::vector<float>{0.4f}).plan, now.plan);
}

TEST(Planner, WithoutTrustItActsByThePriorAlone) {
  PlannerSettings settings = line_settings();
  settings.search = false;
  Planner planner(line_model(), line_graph(), "alps", settings),
      prior(line_model(), line_graph(), "dijkstra+prior", settings),
      alone(line_model(), line_graph(), "dijkstra+cem", settings);
  for (Planner* p : {&planner, &prior, &alone}) p->reset(std::vector<float>{4.2f}, Rng(3));
  const Decision d = act_at(planner, 0.1f);
  EXPECT_TRUE(d.best_costs.empty());
  EXPECT_EQ(d.action, act_at(prior, 0.1f).action);
  EXPECT_FALSE(act_at(alone, 0.1f).best_costs.empty());  // without a prior there is nothing else to do
}

// a run folder, as training leaves it
class RunFolder : public testing::Test {
 protected:
  void SetUp() override {
    auto model = line_model();
    model->eigenvalues_duals = {1};
    save_bundle(folder_ / "model.safetensors", model->bundle());
    save_graph(folder_ / "graph.npz", *line_graph());
    folder_.write("config.json", R"({"settings": {"samples": 50, "horizon": 4, "precision": "fp32"}, "origins": {}})");
  }
  std::filesystem::path run() const { return folder_ / ""; }
  const TempFolder folder_;
};

TEST_F(RunFolder, IsLoadedInOneCall) {
  const Planner plain = load_planner(run());
  EXPECT_EQ(plain.variant(), "alps");
  EXPECT_EQ(plain.settings().samples, 50);
  Planner planner = load_planner(run(), {.variant = "dijkstra+cem", .set = {"budget_ms=20", "horizon=6"}});
  EXPECT_EQ(planner.settings().budget_ms, 20);
  EXPECT_EQ(planner.settings().horizon, 6);
  EXPECT_EQ(planner.variant(), "dijkstra+cem");
  planner.reset(std::vector<float>{4.0f}, Rng(1));
  EXPECT_EQ(act_at(planner, 0.0f).plan.size(), 6u);
  EXPECT_THROW(load_planner(run(), {.set = {"budget=20"}}), UsageError);
  EXPECT_THROW(load_planner(run(), {.variant = "al"}), UsageError);
}

TEST_F(RunFolder, WhatIsMissingIsNamedWithARemedy) {
  std::filesystem::remove(folder_ / "graph.npz");
  const std::string why = error_of([&] { load_planner(run()); });
  EXPECT_NE(why.find("graph.npz"), std::string::npos);
  EXPECT_NE(why.find("alps train"), std::string::npos);
  EXPECT_NO_THROW(load_planner(run(), {.variant = "cem+prior"}));
  std::filesystem::remove(folder_ / "model.safetensors");
  EXPECT_NE(error_of([&] { load_planner(run()); }).find("model.safetensors"), std::string::npos);
  EXPECT_NE(error_of([&] { load_planner(folder_ / "none"); }).find("train a run first"), std::string::npos);
}

}  // namespace
}  // namespace alps
