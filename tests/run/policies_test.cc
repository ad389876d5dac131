// Policies of a run, made by hand: the line world with a graph, and an actor.
#include "alps/run/policies.h"

#include <gtest/gtest.h>

#include "../base/temp_folder.h"
#include "alps/plan/planner.h"
#include "alps/run/profiles.h"
#include "line_run.h"

namespace alps {
namespace {

using Floats = std::vector<float>;

TEST(Policies, SayAtOnceWhatTheRunLacks) {
  alps::Run run = line_run();
  EXPECT_NO_THROW(make_policy(run, "alps", run_settings()));
  EXPECT_THROW(make_policy(run, "alp", run_settings()), UsageError);
  run.graph = nullptr;
  EXPECT_THROW(make_policy(run, "alps", run_settings()), Error);
  EXPECT_NO_THROW(make_policy(run, "cem", run_settings()));
  auto model = line_model();
  model->prior = {};
  run.model = model;
  EXPECT_THROW(make_policy(run, "prior", run_settings()), Error);
}

TEST(Policies, SettingsComeFromTheRunThePaperAndTheUser) {
  alps::Run run = line_run();
  run.config.profile = planning_profile();
  run.config.profile.parse("samples=77");
  run.config.profile.parse("sigma=0.2");
  run.config.survey.pace = 0.02;
  EXPECT_EQ(planner_settings(run, {}).samples, 77);
  const PlannerSettings own = planner_settings(run, {.set = {"samples=5"}});
  EXPECT_EQ(own.samples, 5);
  EXPECT_EQ(own.sigma, 0.2);
  const PlannerSettings paper = planner_settings(run, {.planner = "paper", .set = {"horizon=3"}});
  EXPECT_EQ(paper.samples, 500);
  EXPECT_EQ(paper.horizon, 3);
  EXPECT_FALSE(paper.avoid_traps);
  EXPECT_THROW(planner_settings(run, {.planner = "quick"}), UsageError);
  run.config.policy = "actor";
  EXPECT_THROW(planner_settings(run, {.set = {"samples=5"}}), UsageError);  // an actor has no settings
  run.config.policy = "planner";
  EXPECT_THROW(planner_settings(run, {.set = {"nothing=1"}}), UsageError);
}

TEST(Policies, OfAFactoryAreIndependent) {
  const MakePolicy make = make_policy(line_run(), "dijkstra+cem", run_settings());
  const auto one = make(), other = make();
  one->reset(Floats{4}, Rng(1));
  one->act(Floats{0});
  EXPECT_THROW(other->act(Floats{0}), Error);  // it has no goal yet
  other->reset(Floats{4}, Rng(1));
  Planner planner(line_model(), line_graph(), "dijkstra+cem", run_settings());
  planner.reset(Floats{4}, Rng(1));
  const Floats action = planner.act(Floats{0}).action;
  EXPECT_EQ(other->act(Floats{0}).action, action);
}

// what another preset than the run's own would have given for the run's data and networks
TEST(Policies, AnotherPresetIsResolvedForTheRunsData) {
  alps::Run run = line_run();
  run.config.preset = "paper";
  run.config.profile = planning_profile();
  run.config.profile.parse("samples=77");
  run.config.data_name = "visual-maze2d-spiral-random-v0";
  run.config.planning = {"elite_ratio=0.21"};
  run.config.survey.pace = 0.1;  // six steps cross the world
  auto model = line_model();
  model->prior_spread = 0.9f;
  run.model = model;
  EXPECT_EQ(planner_settings(run, {}).samples, 77);
  EXPECT_EQ(planner_settings(run, {.planner = "paper"}).samples, 77);
  const PlannerSettings fast = planner_settings(run, {.planner = "fast"});
  EXPECT_EQ(fast.horizon, 6);
  EXPECT_EQ(fast.elite_ratio, 0.21);  // the method's
  EXPECT_EQ(fast.sigma, 0.2);         // the prior is vague
  run.config.preset = "fast";
  const PlannerSettings paper = planner_settings(run, {.planner = "paper"});
  EXPECT_EQ(paper.horizon, 2);  // the paper's row of this data set
  EXPECT_EQ(paper.elite_ratio, 0.21);
}

TEST(Policies, AnActorActsWithoutGraphAndSettings) {
  auto bundle = std::make_shared<Bundle>();
  bundle->vectors = {{"normalizer.mean", {0}}, {"normalizer.deviation", {1}}, {"actions.limit", {2}}};
  bundle->leave("actor", Mlp({Linear(2, 1, {-1, 1}, {0})}), "");
  alps::Run run{.folder = "RUN", .config = {}, .bundle = bundle, .model = nullptr, .graph = nullptr};
  run.config.policy = "actor";
  const auto policy = make_policy(run, "alps", {})();
  policy->reset(Floats{0.75f}, Rng(0));
  EXPECT_EQ(policy->act(Floats{0.25f}).action, (Floats{1}));
  EXPECT_EQ(policy->regions(), nullptr);

  run.config.policy = "oracle";
  const std::string complaint = error_of([&] { make_policy(run, "alps", {}); });
  EXPECT_NE(complaint.find("'oracle'"), std::string::npos) << complaint;
}

}  // namespace
}  // namespace alps
