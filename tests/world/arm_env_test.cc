// The manipulation worlds by themselves; tests/align sets them beside OGBench's.
#include "alps/world/arm_env.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "alps/base/error.h"
#include "alps/world/catalog.h"

namespace alps {
namespace {

constexpr const char* kNames[] = {"cube-single-v0", "cube-quadruple-v0", "scene-v0", "puzzle-3x3-v0"};

std::vector<double> roll(Env& env, Rng rng, int steps) {
  std::vector<double> seen;
  std::vector<double> action(env.spec().action_size);
  for (int t = 0; t < steps; ++t) {
    for (double& a : action) a = rng.uniform(-1, 1);
    env.step(action);
    const auto qpos = env.physics()->qpos();
    const auto floats = env.observation().floats();
    seen.insert(seen.end(), qpos.begin(), qpos.end());
    seen.insert(seen.end(), floats.begin(), floats.end());
  }
  return seen;
}

class ArmWorlds : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Arm, ArmWorlds, testing::ValuesIn(kNames));

TEST_P(ArmWorlds, HasNoPlaneButPhysicsABodyAndAnArm) {
  const auto env = make_env(GetParam());
  EXPECT_EQ(env->planar(), nullptr);
  EXPECT_EQ(env->placement(), nullptr);
  ASSERT_NE(env->physics(), nullptr);
  ASSERT_NE(env->arm(), nullptr);
  EXPECT_EQ(env->spec().action_size, 5);
  EXPECT_EQ(env->spec().num_tasks, 5);
  env->reset(1, Rng(0));
  EXPECT_EQ(env->observation().floats().size(), env->spec().observation_size());
  EXPECT_EQ(env->goal_observation().floats().size(), env->spec().observation_size());
  EXPECT_EQ(static_cast<size_t>(env->body()->scene()->nq), env->physics()->qpos().size());
  EXPECT_EQ(env->body()->goal_qpos().size(), env->physics()->qpos().size());
}

TEST_P(ArmWorlds, StatesAndClonesRepeatExactly) {
  const auto env = make_env(GetParam());
  env->reset(2, Rng(1));
  roll(*env, Rng(2), 30);
  const std::vector<double> state = env->state();
  const std::vector<double> first = roll(*env, Rng(3), 40);
  env->set_state(state);
  EXPECT_EQ(env->state(), state);
  EXPECT_EQ(roll(*env, Rng(3), 40), first);
  const auto other = env->clone();
  other->set_state(state);
  EXPECT_EQ(roll(*other, Rng(3), 40), first);
  EXPECT_THROW(env->set_state(std::vector<double>(3)), Error);
}

TEST_P(ArmWorlds, ResetsRepeatAndEndByLength) {
  const auto env = make_env(GetParam(), {.terminate_at_goal = false, .max_episode_steps = 4});
  env->reset(1, Rng(5));
  const std::vector<double> first = env->state();
  const std::vector<double> action(5, 0.1);
  for (int t = 1; t <= 4; ++t) EXPECT_EQ(env->step(action).truncated, t == 4);
  env->reset(1, Rng(5));
  EXPECT_EQ(env->state(), first);
  env->reset(1, Rng(6));
  EXPECT_NE(env->state(), first);
  EXPECT_THROW(env->reset(6, Rng(0)), UsageError);
  EXPECT_THROW(env->step(std::vector<double>{0, 0, NAN, 0, 0}), Error);
}

TEST_P(ArmWorlds, PlayHasNoSuccess) {
  const auto env = make_env(GetParam());
  env->play()->start_play(Rng(3));
  const std::vector<double> state = env->state();
  for (int t = 0; t < 20; ++t) EXPECT_FALSE(env->step(std::vector<double>(5, 0.0)).success);
  env->set_state(state);
  EXPECT_FALSE(env->step(std::vector<double>(5, 0.0)).success);
}

TEST(Arm, ReachesWhereItIsSent) {
  const auto env = make_env("cube-single-v0");
  env->reset(1, Rng(0));
  const Vec3 goal{0.4, 0.1, 0.25};
  for (int t = 0; t < 60; ++t) {
    const Vec3 way = difference(goal, env->arm()->hand().position);
    std::vector<double> action{way[0] / 0.05, way[1] / 0.05, way[2] / 0.05, 0, 1};
    for (double& a : action) a = std::clamp(a, -1.0, 1.0);
    env->step(action);
  }
  EXPECT_LT(length(difference(goal, env->arm()->hand().position)), 0.01);
  EXPECT_GT(env->arm()->gripper_opening(), 0.8);
  EXPECT_GT(env->arm()->gripper_contact(), 0.0);  // pad on pad
}

TEST(Arm, ButtonsOfAGridTurnTheirNeighbours) {
  const auto env = make_env("puzzle-3x3-v0");
  env->reset(1, Rng(0));
  // down on the button in the middle
  const Vec3 top = env->arm()->button_top(4);
  for (int t = 0; t < 60; ++t) {
    const Vec3 hand = env->arm()->hand().position;
    const double above = t < 35 ? 0.08 : -0.03;
    std::vector<double> action{(top[0] - hand[0]) / 0.05, (top[1] - hand[1]) / 0.05, (top[2] + above - hand[2]) / 0.05,
                               0, 1};
    for (double& a : action) a = std::clamp(a, -1.0, 1.0);
    env->step(action);
  }
  const auto states = env->arm()->button_states();
  EXPECT_EQ(std::vector<int>(states.begin(), states.end()), (std::vector<int>{0, 1, 0, 1, 1, 1, 0, 1, 0}));
}

// Collisions between these pairs are left out: nothing may bring them together, even fingers bent by 0.06 rad in every
// joint of their linkage.
TEST(Arm, PairsLeftOutOfCollisionsStayApart) {
  const ModelPtr model = load_arm_models(cubes_world(1)).physics[0];
  const DataPtr data = make_data(model);
  const auto body = [&](const std::string& name) {
    const int id = mj_name2id(model.get(), mjOBJ_BODY, name.c_str());
    EXPECT_GE(id, 0) << name;
    return id;
  };
  const auto pairs = gripper_pairs_apart();
  EXPECT_EQ(static_cast<size_t>(model->nexclude), 6 + pairs.size());
  Rng rng(0);
  double nearest = 1;
  for (int round = 0; round < 60; ++round) {
    // the motor moves the fingers freely to some opening
    mj_resetData(model.get(), data.get());
    for (int k = 0; k < 6; ++k) data->ctrl[k] = data->qpos[k];
    data->ctrl[6] = 255 * (round % 10) / 9.0;
    for (int t = 0; t < 400; ++t) mj_step(model.get(), data.get());
    for (int bent = 0; bent < 2; ++bent) {
      for (int k = 6; k < 14 && bent == 1; ++k) data->qpos[k] += rng.uniform(-0.06, 0.06);
      mj_kinematics(model.get(), data.get());
      mj_comPos(model.get(), data.get());
      for (const auto& [first, second] : pairs) {
        const int a = body(first), b = body(second);
        for (int g = 0; g < model->body_geomnum[a]; ++g)
          for (int h = 0; h < model->body_geomnum[b]; ++h)
            nearest = std::min(nearest, mj_geomDistance(model.get(), data.get(), model->body_geomadr[a] + g,
                                                        model->body_geomadr[b] + h, 0.05, nullptr));
      }
    }
  }
  EXPECT_GT(nearest, 0.002);
}

TEST(Pose, InterpolatesAlongTheShorterTurn) {
  const Quat a = rotation_z(3.0), b = rotation_z(-3.0);
  EXPECT_NEAR(std::abs(yaw_of(between(a, b, 0.5))), std::numbers::pi, 1e-12);
  const Pose one{rotation_z(0.4), {1, 2, 3}};
  const Pose back = compose(one, inverse(one));
  EXPECT_NEAR(length(back.position), 0, 1e-15);
  EXPECT_NEAR(back.rotation[0], 1, 1e-15);
  for (const Vec3& turn : {Vec3{0.1, -0.2, 0.3}, Vec3{1, 2, -1.5}, Vec3{1e-7, 0, 1e-7}, Vec3{3.1, 0, 0}}) {
    const Vec3 again = logarithm(exponential(turn));
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(again[k], turn[k], 1e-12);
  }
}

}  // namespace
}  // namespace alps
