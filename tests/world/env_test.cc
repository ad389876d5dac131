// Env as somebody meets it who brings a world of his own (tanks_env.h): everything through the public interface, and no
// view offered.
#include "alps/world/env.h"

#include <gtest/gtest.h>

#include "alps/base/error.h"
#include "alps/world/maze_world.h"
#include "tanks_env.h"

namespace alps {
namespace {

// pump what is wanted further on, and let on what is too much
std::vector<double> sensible_action(const Env& env) {
  const auto levels = env.observation().floats(), goal = env.goal_observation().floats();
  std::vector<double> action(3);
  for (size_t k = 0; k < 3; ++k) {
    double wanted = 0, surplus = 0;  // from tank k on; in the tanks before it
    for (size_t i = k; i < 3; ++i) wanted += goal[i] - levels[i];
    for (size_t i = 0; i < k; ++i) surplus += levels[i] - goal[i];
    action[k] = std::clamp(20 * (k == 0 ? wanted : std::max(wanted, surplus)), -1.0, 1.0);
  }
  return action;
}

std::vector<float> roll(Env& env, Rng rng, int steps) {
  std::vector<float> seen;
  for (int t = 0; t < steps; ++t) {
    std::vector<double> action(env.spec().action_size);
    for (double& a : action) a = rng.uniform(-env.spec().action_limit, env.spec().action_limit);
    env.step(action);
    seen.insert(seen.end(), env.observation().floats().begin(), env.observation().floats().end());
  }
  return seen;
}

TEST(OwnEnv, IsSteppedToItsGoals) {
  const std::unique_ptr<Env> env = std::make_unique<TanksEnv>();
  for (int task = 1; task <= env->spec().num_tasks; ++task) {
    env->reset(task, Rng(3));
    StepResult result;
    int steps = 0;
    while (!result.done()) {
      result = env->step(sensible_action(*env));
      ++steps;
    }
    EXPECT_TRUE(result.success) << "task " << task;
    EXPECT_TRUE(result.terminated);
    EXPECT_GT(steps, 10);
    EXPECT_LT(steps, 200);
    const auto levels = env->observation().floats(), goal = env->goal_observation().floats();
    for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(levels[k], goal[k], TanksEnv::kTolerance + 1e-6);
  }
  EXPECT_THROW(env->reset(3, Rng(0)), UsageError);
}

TEST(OwnEnv, EndsByItsLength) {
  TanksEnv env({.terminate_at_goal = false, .max_episode_steps = 5});
  env.reset(1, Rng(0));
  const std::vector<double> shut(3, -1.0);
  for (int t = 1; t <= 5; ++t) EXPECT_EQ(env.step(shut).truncated, t == 5);
}

TEST(OwnEnv, ClonesAndStatesRepeatExactly) {
  const std::unique_ptr<Env> env = std::make_unique<TanksEnv>();
  env->reset(1, Rng(3));
  roll(*env, Rng(1), 7);
  const std::vector<double> state = env->state();
  const auto other = env->clone();
  const std::vector<float> first = roll(*env, Rng(2), 20);
  env->set_state(state);
  EXPECT_EQ(env->state(), state);
  EXPECT_EQ(roll(*env, Rng(2), 20), first);
  // the clone stood still meanwhile, and is another world
  EXPECT_EQ(other->state(), state);
  EXPECT_EQ(roll(*other, Rng(2), 20), first);
  other->reset(2, Rng(3));
  EXPECT_FALSE(other->observation() == env->observation());
  EXPECT_THROW(env->set_state(std::vector<double>(3)), Error);
}

TEST(OwnEnv, OffersNoViewAndNeedsNone) {
  TanksEnv env;
  EXPECT_EQ(env.planar(), nullptr);
  EXPECT_EQ(env.placement(), nullptr);
  EXPECT_EQ(env.physics(), nullptr);
  EXPECT_EQ(env.body(), nullptr);
  EXPECT_EQ(maze_of(env), nullptr);
  try {
    maze_world(env, "walks to cells");
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("walks to cells need a plane with places, and tanks-v0 has none"),
              std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace alps
