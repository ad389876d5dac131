// The agent on the line world. What it decides is the planner's business
// (tests/plan); here: which episode draws from which seed, and when one begins.
#include "alps/run/agent.h"

#include <gtest/gtest.h>

#include <limits>

#include "alps/plan/planner.h"
#include "alps/run/policies.h"
#include "line_run.h"

namespace alps {
namespace {

using Floats = std::vector<float>;

Agent line_agent(uint64_t seed = 0) { return Agent(make_policy(line_run(), "dijkstra+cem", run_settings()), seed); }

Floats actions(const std::vector<Decision>& decisions) {
  Floats all;
  for (const Decision& d : decisions) all.insert(all.end(), d.action.begin(), d.action.end());
  return all;
}

// one decision of an episode of its own, with the given random numbers
Floats planner_action(Rng rng, float at, float goal) {
  Planner planner(line_model(), line_graph(), "dijkstra+cem", run_settings());
  planner.reset(Floats{goal}, rng);
  return planner.act(Floats{at}).action;
}

TEST(Agent, SeedsOfEpisodes) {
  // with a seed: Rng(seed) for the first, as `alps plan` draws, and its forks for the others
  Agent agent = line_agent();
  agent.reset(Floats{4, 4, 4}, 7);
  EXPECT_EQ(agent.episodes(), 3u);
  const Floats seeded = actions(agent.plan(Floats{0, 0, 0}));
  EXPECT_EQ(seeded, (Floats{planner_action(Rng(7), 0, 4)[0], planner_action(Rng(7).fork(1), 0, 4)[0],
                            planner_action(Rng(7).fork(2), 0, 4)[0]}));
  EXPECT_NE(seeded[0], seeded[1]);
  EXPECT_NE(seeded[1], seeded[2]);

  // without: the agent's own seed, forked for each episode that begins, all its life long
  Agent other = line_agent(3);
  for (uint64_t k = 0; k < 4; ++k) {
    other.reset(Floats{4});
    EXPECT_EQ(actions(other.plan(Floats{0})), planner_action(Rng(3).fork(k), 0, 4)) << k;
  }
  Agent clone = other.clone(3);
  clone.reset(Floats{4});
  EXPECT_EQ(actions(clone.plan(Floats{0})), planner_action(Rng(3).fork(0), 0, 4));
}

TEST(Agent, AnotherGoalBeginsAnotherEpisode) {
  Agent told = line_agent(), reset = line_agent();
  reset.reset(Floats{4, 2});
  // the same goals again and again: one episode each, which draws on and on
  for (const Floats& at : {Floats{0, 0}, Floats{0.2f, 0.3f}, Floats{0.6f, 0.7f}})
    EXPECT_EQ(actions(told.plan(at, Floats{4, 2})), actions(reset.plan(at)));
  // only the second goal changes: the first episode goes on, the second is number 2 of this agent
  const auto decisions = told.plan(Floats{0.8f, 0.8f}, Floats{4, 0});
  EXPECT_EQ(decisions[0].action, reset.plan(Floats{0.8f, 0.8f})[0].action);
  EXPECT_EQ(decisions[1].action, planner_action(Rng(0).fork(2), 0.8f, 0));
  EXPECT_LT(decisions[1].action[0], 0);  // it turned round
  // another number of observations begins all of them anew
  EXPECT_EQ(actions(told.plan(Floats{0.8f}, Floats{4})), planner_action(Rng(0).fork(3), 0.8f, 4));
  EXPECT_EQ(told.episodes(), 1u);
  // and so does a reset to the same goal
  told.reset(Floats{4});
  EXPECT_EQ(actions(told.plan(Floats{0.8f})), planner_action(Rng(0).fork(4), 0.8f, 4));
}

TEST(Agent, BatchesDoNotDependOnThreads) {
  Floats goals, observations;
  for (int i = 0; i < 17; ++i) {
    goals.push_back(static_cast<float>(i % 5));
    observations.push_back(static_cast<float>((i * 3) % 5));
  }
  std::vector<Floats> results;
  for (const int threads : {1, 3, 0}) {
    Agent agent = line_agent(1);
    agent.reset(goals);
    Floats all = actions(agent.plan(observations, {}, {}, threads));
    const Floats second = actions(agent.plan(goals, {}, {}, threads));
    all.insert(all.end(), second.begin(), second.end());
    results.push_back(all);
  }
  ASSERT_EQ(results[0].size(), 34u);
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Agent, RefusesWhatDoesNotFit) {
  Agent agent = line_agent();
  EXPECT_THROW(agent.plan(Floats{0}), UsageError);  // no goal yet
  EXPECT_THROW(agent.reset(Floats{}), Error);
  agent.reset(Floats{4, 3});
  EXPECT_THROW(agent.plan(Floats{0}), UsageError);
  EXPECT_THROW(agent.plan(Floats{0, 0}, Floats{4}), UsageError);
  EXPECT_THROW(agent.plan(Floats{}), Error);

  // a goal that is no number leaves no episode behind that could be taken for it
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(agent.plan(Floats{0, 0}, Floats{4, nan}), Error);
  const auto decisions = agent.plan(Floats{0, 0}, Floats{4, 3});
  EXPECT_EQ(decisions.size(), 2u);
  for (const Decision& d : decisions) EXPECT_GT(d.action[0], 0);
}

}  // namespace
}  // namespace alps
