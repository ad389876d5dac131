// How familiar a state is, on the line world: within, at the edge of and far from what was recorded; and that knowing
// it changes no decision.
#include "alps/plan/familiarity.h"

#include <gtest/gtest.h>

#include "alps/plan/planner.h"
#include "line_world.h"

namespace alps {
namespace {

std::shared_ptr<ClusterGraph> known_graph() {
  auto graph = line_graph();
  graph->radii = {0.5f, 0.5f, 0.5f, 0.5f, 0.5f};
  graph->low = {-0.5f};
  graph->high = {4.5f};
  return graph;
}

double off(const ClusterGraph& graph, float x) {
  const std::vector<float> state = {x};
  return off_data(graph, state, state);
}

TEST(Familiarity, GrowsWithTheDistanceToTheData) {
  const auto graph = known_graph();
  EXPECT_NEAR(off(*graph, 2), 0, 1e-6);
  EXPECT_NEAR(off(*graph, 2.25f), 0.5, 1e-6);
  EXPECT_NEAR(off(*graph, 4.5f), 1, 1e-6);
  EXPECT_NEAR(off(*graph, 5), 2, 1e-6);  // twice the radius from the last centre
  EXPECT_GT(off(*graph, 1e6f), 1e5);
  EXPECT_EQ(off(*graph, 1e30f), 1e6);
  // where psi is blind, the range of the column speaks
  const std::vector<float> state = {14.5f}, psi = {4};
  EXPECT_NEAR(off_data(*graph, state, psi), 1 + 10.0 / 5, 1e-6);
  const std::vector<float> below = {-5.5f};
  EXPECT_NEAR(off_data(*graph, below, psi), 1 + 5.0 / 5, 1e-6);
}

TEST(Familiarity, OldGraphsSayNothing) {
  EXPECT_EQ(off(*line_graph(), 1e6f), -1);
  EXPECT_EQ(off_data_text("the goal", -1), "");
}

TEST(Familiarity, Words) {
  EXPECT_EQ(off_data_text("the goal", 0.3), "the goal lies within the data");
  EXPECT_NE(off_data_text("the goal", 1.2).find("at the edge of the data (1.2 times"), std::string::npos);
  EXPECT_NE(off_data_text("the goal", 250).find("outside the data (250 times"), std::string::npos);
  EXPECT_NE(off_data_text("the goal", 1e6).find("a million"), std::string::npos);
}

TEST(Familiarity, DecisionsTellItAndStayTheSame) {
  for (const char* variant : {"alps", "dijkstra+prior", "cem+prior"}) {
    Planner knows(line_model(), known_graph(), variant, line_settings()),
        does_not(line_model(), line_graph(), variant, line_settings());
    for (const float goal : {3.9f, 40.0f}) {
      const std::vector<float> to = {goal};
      knows.reset(to, Rng(1));
      does_not.reset(to, Rng(1));
      for (const float x : {0.2f, 0.7f, 100.0f}) {
        const std::vector<float> seen = {x};
        const Decision a = knows.act(seen), b = does_not.act(seen);
        EXPECT_EQ(a.action, b.action);
        EXPECT_EQ(a.plan, b.plan);
        EXPECT_EQ(a.route, b.route);
        EXPECT_EQ(b.off_data, -1);
        EXPECT_EQ(b.goal_off_data, -1);
        EXPECT_EQ(a.off_data > kOffData, x == 100.0f) << variant << " " << x;
        EXPECT_EQ(a.goal_off_data > kOffData, goal == 40.0f) << variant << " " << goal;
      }
    }
  }
}

}  // namespace
}  // namespace alps
