// What the alignment with OGBench cannot show: states restored exactly, clones and threads independent, bad use
// refused.
#include "alps/world/maze_env.h"

#include <gtest/gtest.h>

#include "alps/base/threads.h"
#include "alps/world/catalog.h"
#include "alps/world/maze_world.h"

namespace alps {
namespace {

std::vector<double> random_action(const Env& env, Rng& rng) {
  std::vector<double> action(env.spec().action_size);
  for (double& a : action) a = rng.uniform(-1, 1);
  return action;
}

std::vector<float> roll(Env& env, Rng rng, int steps) {
  std::vector<float> seen;
  for (int t = 0; t < steps; ++t) {
    env.step(random_action(env, rng));
    const std::span<const float> now = env.observation().floats();
    seen.insert(seen.end(), now.begin(), now.end());
  }
  return seen;
}

class EveryBody : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Bodies, EveryBody,
                         testing::Values("pointmaze-medium-v0", "antmaze-medium-v0", "humanoidmaze-medium-v0"),
                         [](const auto& info) {
                           return std::string(info.param).substr(0, std::string(info.param).find('-'));
                         });

TEST_P(EveryBody, StateIsRestoredExactly) {
  const auto env = make_env(GetParam());
  env->reset(1, Rng(3));
  roll(*env, Rng(1), 7);
  const std::vector<double> state = env->state();
  const std::vector<float> first = roll(*env, Rng(2), 20);
  env->set_state(state);
  EXPECT_EQ(roll(*env, Rng(2), 20), first);

  // in another object too
  const auto other = env->clone();
  other->set_state(state);
  EXPECT_EQ(roll(*other, Rng(2), 20), first);
}

TEST_P(EveryBody, ResultsDoNotDependOnThreads) {
  const auto prototype = make_env(GetParam());
  auto run = [&](int threads) {
    std::vector<std::unique_ptr<Env>> envs;
    for (int w = 0; w < worker_count(6, threads); ++w) envs.push_back(prototype->clone());
    std::vector<std::vector<float>> seen(6);
    parallel_for_worker(6, threads, [&](size_t i, int worker) {
      envs[worker]->reset(1 + i % 5, Rng(9).fork(i));
      seen[i] = roll(*envs[worker], Rng(8).fork(i), 20);
    });
    return seen;
  };
  const auto alone = run(1);
  EXPECT_EQ(run(2), alone);
  EXPECT_EQ(run(3), alone);
  EXPECT_NE(alone[0], alone[5]);  // same task, other random numbers
}

TEST_P(EveryBody, BadUseIsRefused) {
  const auto env = make_env(GetParam());
  EXPECT_THROW(env->reset(0, Rng(0)), UsageError);
  EXPECT_THROW(env->reset(6, Rng(0)), UsageError);
  env->reset(1, Rng(0));
  std::vector<double> action(env->spec().action_size, 0.0);
  action[1] = NAN;
  EXPECT_THROW(env->step(action), Error);
  EXPECT_THROW(env->set_state(std::vector<double>(3)), Error);
}

TEST(MazeEnv, OptionsDecideTheEnd) {
  const auto env = make_env("pointmaze-medium-v0", {.terminate_at_goal = false, .max_episode_steps = 3});
  env->placement()->reset({0, 0}, {0.1, 0}, Rng(0));
  const std::vector<double> still = {0, 0};
  for (int t = 1; t <= 3; ++t) {
    const StepResult result = env->step(still);
    EXPECT_TRUE(result.success);
    EXPECT_FALSE(result.terminated);
    EXPECT_EQ(result.truncated, t == 3);
  }
}

// the coordinates are double; what is observed of them is rounded to float32, once
TEST(MazeEnv, ViewsTellWhatIsObserved) {
  const auto env = make_env("antmaze-large-v0");
  env->reset(2, Rng(5));
  roll(*env, Rng(1), 10);
  const std::span<const double> qpos = env->physics()->qpos(), qvel = env->physics()->qvel();
  ASSERT_EQ(qpos.size(), 15u);
  ASSERT_EQ(qvel.size(), 14u);
  std::vector<float> expected(qpos.begin(), qpos.end());
  expected.insert(expected.end(), qvel.begin(), qvel.end());
  EXPECT_TRUE(env->observation() == Observation(expected));
  EXPECT_EQ(env->planar()->position(), (Point2{qpos[0], qpos[1]}));
  EXPECT_EQ(env->planar()->tasks().size(), 5u);
  EXPECT_EQ(env->planar()->goal_tolerance(), 0.5);
  EXPECT_LE(distance(env->planar()->goal(), env->planar()->tasks()[1].goal), std::hypot(1, 1));
  EXPECT_EQ(env->body()->goal_qpos()[0], env->planar()->goal().x);
}

TEST(MazeEnv, AWorldWithoutCellsSaysSo) {
  const auto env = make_env("maze2d-rooms-v0");
  try {
    maze_world(*env, "walks to cells");
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("walks to cells need a maze of cells, and maze2d-rooms-v0 has none"),
              std::string::npos)
        << e.what();
  }
}

TEST(MazeEnv, TeleportsLeadEverywhere) {
  const auto env = make_env("pointmaze-teleport-v0");
  const Maze& maze = *env->planar()->maze();
  std::vector<int> exits(3);
  for (int i = 0; i < 300; ++i) {
    env->placement()->reset(maze.center({4, 6}), {0, 0}, Rng(i));
    env->step(std::vector<double>{0, 0});
    for (size_t k = 0; k < 3; ++k)
      exits[k] += distance(env->planar()->position(), maze.center(maze.teleport_out[k])) < 1e-9;
  }
  EXPECT_EQ(exits[0] + exits[1] + exits[2], 300);
  for (const int n : exits) EXPECT_NEAR(n, 100, 35);  // four standard deviations
}

TEST(Catalog, EveryAvailableNameCanBeMade) {
  size_t made = 0;
  for (const CatalogEntry& entry : env_catalog()) {
    if (!entry.available) {
      EXPECT_THROW(make_env(entry.name), UsageError);
      continue;
    }
    const auto env = make_env(entry.name);
    EXPECT_EQ(env->spec().name, entry.name);
    env->reset(1, Rng(0));
    EXPECT_EQ(env->observation().size(), env->spec().observation_size());
    EXPECT_EQ(env->observation().image(), env->spec().image);
    EXPECT_EQ(env->goal_observation().size(), env->spec().observation_size());
    ++made;
  }
  EXPECT_EQ(made, 29u);
}

TEST(Catalog, NearNamesAreOffered) {
  try {
    make_env("pointmaze-larg-v0");
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean 'pointmaze-large-v0'"), std::string::npos) << e.what();
  }
}

TEST(Maze, DistancesAndOracle) {
  const Maze maze({"#####", "#..##", "##..#", "#####"});
  const auto& steps = maze.distances({2, 3});
  EXPECT_EQ(steps[1 * 5 + 1], 3);
  EXPECT_EQ(steps[2 * 5 + 3], 0);
  EXPECT_EQ(steps[0], -1);
  EXPECT_EQ(maze.oracle_subgoal(maze.center({1, 1}), maze.center({2, 3})), maze.center({1, 2}));
  EXPECT_EQ(maze.oracle_subgoal(maze.center({2, 3}), maze.center({2, 3})), maze.center({2, 3}));
  EXPECT_EQ(maze.vertex_cells().size(), 4u);  // two ends and two turns
  EXPECT_EQ(maze.cell({1.9, -1.9}), (Cell{1, 1}));
}

TEST(Maze, ClearTellsWhereNoWallIsInReach) {
  const Maze maze({"#####", "#..##", "##..#", "#####"});
  const Point2 here = maze.center({1, 1});  // free: (1, 1) and (1, 2); the cell below is a wall
  EXPECT_TRUE(maze.clear(here, 1.99));
  EXPECT_FALSE(maze.clear(here, 2.01));
  EXPECT_TRUE(maze.clear(here + Point2{2, 0}, 1.99));  // on the line between two free cells
  EXPECT_FALSE(maze.clear(here + Point2{0, 1.5}, 0.6));
  EXPECT_TRUE(maze.clear(here + Point2{0, 1.5}, 0.4));
}

}  // namespace
}  // namespace alps
