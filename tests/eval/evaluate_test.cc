// The figures of an evaluation, from records made by hand.
#include "alps/eval/evaluate.h"

#include <gtest/gtest.h>

#include <numeric>

#include "alps/world/catalog.h"
#include "walker.h"

namespace alps {
namespace {

EpisodeRecord record(int task, int steps, Outcome outcome, std::vector<float> decision_ms = {}) {
  EpisodeRecord r{.task = task};
  r.steps = steps;
  r.outcome = outcome;
  r.success = outcome == Outcome::kSuccess;
  r.decision_ms = std::move(decision_ms);
  return r;
}

// task 2: one of four; task 5: one of one
EvalResult sample() {
  EvalResult result;
  result.episodes = {record(2, 10, Outcome::kSuccess, {4, 1}), record(2, 99, Outcome::kStuck, {3}),
                     record(2, 99, Outcome::kStuck, {9, 2}), record(2, 99, Outcome::kDrift),
                     record(5, 30, Outcome::kSuccess, {11})};
  return result;
}

TEST(EvalResult, CountsAndShares) {
  const EvalResult result = sample();
  EXPECT_EQ(result.tasks(), (std::vector<int>{2, 5}));
  EXPECT_EQ(result.count(), 5u);
  EXPECT_EQ(result.count(2), 4u);
  EXPECT_EQ(result.successes(), 2u);
  EXPECT_EQ(result.successes(5), 1u);
  EXPECT_DOUBLE_EQ(result.success(), 0.4);
  EXPECT_DOUBLE_EQ(result.success(2), 0.25);
  EXPECT_DOUBLE_EQ(result.overall_success(), (0.25 + 1) / 2);  // of tasks, not of episodes
  EXPECT_DOUBLE_EQ(result.mean_steps(), 20);                   // of those that arrived
  const auto census = result.census();
  EXPECT_EQ(census[static_cast<size_t>(Outcome::kSuccess)], 2u);
  EXPECT_EQ(census[static_cast<size_t>(Outcome::kStuck)], 2u);
  EXPECT_EQ(census[static_cast<size_t>(Outcome::kDrift)], 1u);
  EXPECT_EQ(std::reduce(census.begin(), census.end()), 5u);
}

TEST(EvalResult, TimesOfDecisions) {
  const EvalResult result = sample();  // 1 2 3 4 9 11
  EXPECT_DOUBLE_EQ(result.mean_decision_ms(), 5);
  EXPECT_EQ(result.decision_ms(0), 1);
  EXPECT_EQ(result.decision_ms(0.5), 3);
  EXPECT_EQ(result.decision_ms(0.8), 9);
  EXPECT_EQ(result.decision_ms(1), 11);
}

TEST(EvalResult, OfFailuresAlone) {
  EvalResult result;
  result.episodes = {record(1, 7, Outcome::kOutOfTime)};
  EXPECT_EQ(result.mean_steps(), 0);
  EXPECT_EQ(result.mean_decision_ms(), 0);
  EXPECT_EQ(result.decision_ms(0.99), 0);
  EXPECT_EQ(result.overall_success(), 0);
}

TEST(Evaluate, ChosenTasksInTheirOrderWithProgress) {
  const auto env = make_env("pointmaze-medium-v0", {.max_episode_steps = 5});
  const MakePolicy make = [] { return std::make_unique<Planner>(walker()); };
  std::vector<size_t> told;
  const EvalResult result =
      evaluate(*env, make, {.episodes = 2, .tasks = {4, 2}, .seed = 1, .threads = 1}, [&](size_t done, size_t total) {
        EXPECT_EQ(total, 4u);
        told.push_back(done);
      });
  EXPECT_EQ(told, (std::vector<size_t>{1, 2, 3, 4}));
  EXPECT_EQ(result.tasks(), (std::vector<int>{4, 2}));
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(result.episodes[i].index, static_cast<int>(i % 2));
  EXPECT_GT(result.seconds, 0);
  // each episode has a random stream of its own
  EXPECT_NE(result.episodes[0].path, result.episodes[1].path);
  EXPECT_EQ(result.episodes[2].path, evaluate(*env, make, {.episodes = 1, .tasks = {2}, .seed = 1}).episodes[0].path);
  EXPECT_EQ(evaluate(*env, make, {.episodes = 1}).tasks(), (std::vector<int>{1, 2, 3, 4, 5}));
  EXPECT_THROW(evaluate(*env, make, {.episodes = 1, .tasks = {0}}), UsageError);
  EXPECT_THROW(evaluate(*env, make, {.episodes = 1, .tasks = {6}}), UsageError);
}

}  // namespace
}  // namespace alps
