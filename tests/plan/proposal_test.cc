// First plans on the line world: the prior's rollout, the last plan moved on, and what the prior is shown of far goals.
#include "alps/plan/proposal.h"

#include <gtest/gtest.h>

#include "line_world.h"

namespace alps {
namespace {

const RolloutParams kRollout{.horizon = 3, .penalty = 0.01};

Proposal propose(Proposer& proposer, const Model& model, float at, float subgoal, bool searches = true) {
  Proposal proposal;
  proposer.propose(model, std::vector<float>{at}, std::vector<float>{subgoal}, kRollout, searches, proposal);
  return proposal;
}

TEST(Proposal, ThePriorRolledOutThroughTheModel) {
  const auto model = line_model();
  Proposer proposer(*model, line_settings(), variant_named("alps"));
  // half of what is left at each step, in units of the limit 0.4: 0.2, 0.1, 0.05
  const Proposal p = propose(proposer, *model, 1.0f, 1.4f);
  ASSERT_EQ(p.plan.size(), 3u);
  EXPECT_NEAR(p.plan[0], 0.5, 1e-6);
  EXPECT_NEAR(p.plan[1], 0.25, 1e-6);
  EXPECT_NEAR(p.plan[2], 0.125, 1e-6);
  EXPECT_FALSE(p.kept_plan);
  // never beyond the limit
  const Proposal far = propose(proposer, *model, 0.0f, 9.0f);
  EXPECT_EQ(far.plan, (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(propose(proposer, *model, 0.0f, -9.0f).plan, (std::vector<float>{-1, -1, -1}));
}

TEST(Proposal, WithoutASearchOneActionIsProposed) {
  const auto model = line_model();
  Proposer proposer(*model, line_settings(), variant_named("dijkstra+prior"));
  EXPECT_EQ(propose(proposer, *model, 0.0f, 9.0f, false).plan, (std::vector<float>{1, 0, 0}));
}

TEST(Proposal, AloneTheSearchStartsFromTheLastPlanOrFromZero) {
  const auto model = line_model();
  PlannerSettings s = line_settings();
  for (const bool warm : {true, false}) {
    s.warm_start = warm;
    Proposer proposer(*model, s, variant_named("cem"));
    EXPECT_EQ(propose(proposer, *model, 0, 1).plan, (std::vector<float>{0, 0, 0}));
    proposer.acted_on(std::vector<float>{0.1f, 0.2f, 0.3f});
    const Proposal p = propose(proposer, *model, 0, 1);
    EXPECT_EQ(p.plan, warm ? (std::vector<float>{0.2f, 0.3f, 0}) : (std::vector<float>{0, 0, 0}));
    EXPECT_EQ(p.kept_plan, warm);
    proposer.reset();
    EXPECT_EQ(propose(proposer, *model, 0, 1).plan, (std::vector<float>{0, 0, 0}));
  }
}

TEST(Proposal, KeepsTheLastPlanWhereItIsCheaper) {
  const auto model = line_model();
  PlannerSettings s = line_settings();
  for (const bool keep : {true, false}) {
    s.keep_plan = keep;
    Proposer proposer(*model, s, variant_named("alps"));
    proposer.acted_on(std::vector<float>{1, 1, 0.5f});
    // a unit ahead: the last plan arrives sooner than the prior, which slows down
    EXPECT_EQ(propose(proposer, *model, 0, 0.7f).kept_plan, keep);
    EXPECT_EQ(propose(proposer, *model, 0, 0.7f).plan[0], keep ? 1.0f : 0.875f);
    // and in the wrong direction it is dearer
    EXPECT_FALSE(propose(proposer, *model, 0, -0.7f).kept_plan);
  }
  // where nothing is searched the prior acts alone
  s.keep_plan = true;
  Proposer alone(*model, s, variant_named("prior"));
  alone.acted_on(std::vector<float>{1, 1, 0.5f});
  EXPECT_FALSE(propose(alone, *model, 0, 0.7f, false).kept_plan);
}

TEST(Proposal, FarGoalsAreShownAtTheUsualWay) {
  const std::vector<float> here = {1, 1};
  // 5 away; as it is, when that is known or no limit is set
  const std::vector<float> goal = {4, 5};
  std::vector<float> shown;
  for (const double most : {0.0, 5.0}) {
    within_reach(here, goal, 2, most, shown);
    EXPECT_EQ(shown, goal);
  }
  within_reach(here, goal, 2, 4.9, shown);
  EXPECT_NEAR(shown[0], 1 + 2 * 0.6, 1e-6);
  EXPECT_NEAR(shown[1], 1 + 2 * 0.8, 1e-6);
}

TEST(Proposal, FarHoldsWithoutARouteOnly) {
  auto model = line_model();
  model->actions.limit = {10};
  model->model = Mlp({Linear(2, 1, {0, 10}, {0})});
  model->prior = Mlp({Linear(3, 1, {0, -0.05f, 0.05f}, {0})});
  PlannerSettings s = line_settings();
  const auto action = [&](const char* variant, float way, double far, float goal) {
    model->prior_way = way;
    s.far = far;
    Proposer proposer(*model, s, variant_named(variant));
    return 10 * propose(proposer, *model, 1.0f, goal).plan[0];
  };
  EXPECT_FLOAT_EQ(action("prior", 0.5f, 0, 9), 4);        // as it is: half the way of 8
  EXPECT_FLOAT_EQ(action("prior", 0.5f, 3, 2.4f), 0.7f);  // known
  EXPECT_FLOAT_EQ(action("prior", 0.5f, 3, 9), 0.25f);
  EXPECT_FLOAT_EQ(action("prior", 0.5f, 3, -7), -0.25f);
  EXPECT_FLOAT_EQ(action("cem+prior", 0.5f, 3, 9), 0.25f);
  EXPECT_FLOAT_EQ(action("prior", 0, 3, 9), 4);  // a run that does not tell
  EXPECT_FLOAT_EQ(action("dijkstra+prior", 0.5f, 3, 9), 4);
}

}  // namespace
}  // namespace alps
