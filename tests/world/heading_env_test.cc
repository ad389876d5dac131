// The lessons of the humanoid's teacher: what it sees does not depend on the compass, left and right can be exchanged,
// targets reach the right motors, and a state goes on exactly.
#include "alps/world/heading_env.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "alps/base/error.h"
#include "alps/world/postures.h"
#include "flat_ways.h"

namespace alps {
namespace {

constexpr size_t kOwn = 10 + 21, kQpos = kOwn + 1, kQvel = kQpos + 28;  // places in HeadingEnv::state()
constexpr HeadingTask kStill{.shortest_way = 1000, .longest_way = 1000};

std::vector<float> random_targets(size_t size, Rng& rng) {
  std::vector<float> targets(size);
  for (float& t : targets) t = static_cast<float>(0.2 * rng.normal());
  return targets;
}

std::vector<double> turned(std::vector<double> state, double angle) {
  const double c = std::cos(angle), s = std::sin(angle), hc = std::cos(angle / 2), hs = std::sin(angle / 2);
  const auto turn = [&](size_t k) {
    const double x = state[k], y = state[k + 1];
    state[k] = c * x - s * y, state[k + 1] = s * x + c * y;
  };
  turn(2);  // direction
  turn(kQpos), turn(kQvel);
  double* q = &state[kQpos + 3];
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  q[0] = hc * w - hs * z, q[1] = hc * x - hs * y, q[2] = hc * y + hs * x, q[3] = hc * z + hs * w;
  return state;
}

std::vector<double> reflected(std::vector<double> state, const MirrorMap& joints) {
  state[3] *= -1;
  state[6] += state[6] < 0.5 ? 0.5 : -0.5;  // phase
  for (const size_t k : {kQpos + 1, kQpos + 4, kQpos + 6, kQvel + 1, kQvel + 3, kQvel + 5}) state[k] *= -1;
  const std::vector<double> before = state;
  for (size_t j = 0; j < joints.size(); ++j) {
    state[kQpos + 7 + j] = joints.sign[j] * before[kQpos + 7 + joints.from[j]];
    state[kQvel + 6 + j] = joints.sign[j] * before[kQvel + 6 + joints.from[j]];
  }
  for (size_t k = kQvel + 27; k < state.size(); ++k) state[k] = 0;  // the warm start of the solver
  return state;
}

double farthest(std::span<const float> a, std::span<const float> b) {
  double most = 0;
  for (size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(static_cast<double>(a[k]) - b[k]));
  return most;
}

class HeadingEnvTest : public testing::Test {
 protected:
  // a few steps into an episode, turned and moving
  void walk(HeadingEnv& env, uint64_t seed, int steps) {
    Rng rng(seed);
    env.reset(kStill, rng);
    for (int t = 0; t < steps; ++t) env.step(kStill, random_targets(env.action_size(), rng), rng);
  }
  const ModelPtr model_ = load_plane_model("humanoid");
  HeadingEnv env_{model_}, other_{model_};
};

TEST_F(HeadingEnvTest, TheTeacherSeesNoCompass) {
  walk(env_, 1, 8);
  for (const double angle : {0.7, 2.5, -1.9}) {
    other_.set_state(turned(env_.state(), angle));
    EXPECT_LT(farthest(env_.observation(), other_.observation()), 1e-5);
    EXPECT_GT(farthest(env_.student_observation(), other_.student_observation()), 0.1);  // which shows it
  }
}

TEST_F(HeadingEnvTest, LeftAndRightExchangedTwiceIsNothing) {
  Rng rng(2);
  for (const MirrorMap& map : {env_.observation_mirror(), env_.action_mirror()}) {
    const std::vector<float> values = random_targets(map.size(), rng);
    std::vector<float> once(map.size()), twice(map.size());
    map.apply(values, once);
    map.apply(once, twice);
    EXPECT_EQ(values, twice);
    EXPECT_NE(values, once);
  }
}

TEST_F(HeadingEnvTest, TheReflectedBodyDoesTheReflectedThing) {
  const MirrorMap joints = env_.action_mirror(), seen = env_.observation_mirror();
  walk(env_, 3, 6);
  std::vector<double> state = env_.state();
  std::fill_n(state.begin() + 10, 21, 0.0);  // the last torques, in an order of their own
  env_.set_state(state);
  other_.set_state(reflected(env_.state(), joints));
  std::vector<float> expected(seen.size()), targets(joints.size());
  seen.apply(env_.observation(), expected);
  EXPECT_LT(farthest(expected, other_.observation()), 1e-5);

  Rng rng(4), a(0), b(0);
  for (int t = 0; t < 10; ++t) {
    const std::vector<float> here = random_targets(joints.size(), rng);
    joints.apply(here, targets);
    const auto step = env_.step(kStill, here, a), there = other_.step(kStill, targets, b);
    EXPECT_NEAR(step.reward, there.reward, 1e-4);
    EXPECT_NEAR(step.along, there.along, 1e-3);
  }
  seen.apply(env_.observation(), expected);
  EXPECT_LT(farthest(expected, other_.observation()), 2e-2);  // velocities, after the solver's own order of contacts
}

TEST_F(HeadingEnvTest, ServosComeToRest) {
  // in the air, where limbs are light: what is computed 40 times a second must not shake them
  DataPtr data = make_data(model_);
  Rng rng(9);
  data->qpos[2] = 50;
  for (int k = 7; k < model_->nq; ++k) data->qpos[k] = model_->qpos0[k] + 0.2 * rng.normal();
  mj_forward(model_.get(), data.get());
  const JointServo servo(*model_);
  std::vector<double> torques(servo.size());
  for (int t = 0; t < 60; ++t) {
    servo.torques(std::vector<float>(servo.size()), {data->qpos + 7, servo.size()}, {data->qvel + 6, servo.size()},
                  torques);
    humanoid_body().command(*model_, *data, torques);
    humanoid_body().advance(*model_, *data);
  }
  for (size_t j = 0; j < servo.size(); ++j) EXPECT_LT(std::abs(data->qvel[6 + j]), 1) << j;
}

TEST_F(HeadingEnvTest, TheGaitIsTheSameOnBothSidesAndTellsItsPhase) {
  const Gait gait(*model_);
  const MirrorMap joints = env_.action_mirror();
  const size_t n = joints.size();
  std::vector<double> here(n), later(n), other(n), velocities(n);
  for (const double phase : {0.0, 0.13, 0.4, 0.77}) {
    gait.angles(phase, 0.9, here);
    gait.angles(phase + 0.5, 0.9, other);
    for (size_t j = 0; j < n; ++j) EXPECT_NEAR(here[j], joints.sign[j] * other[joints.from[j]], 1e-9);

    gait.angles(phase + 0.001, 0.9, later);
    for (size_t j = 0; j < n; ++j) velocities[j] = (later[j] - here[j]) / (0.001 * Gait::kPeriod);
    const Gait::Told told = gait.told(here, velocities);
    EXPECT_LT(std::abs(std::remainder(told.phase - phase, 1.0)), 0.05);
    EXPECT_GT(told.clarity, 0.7);
    // the clock waits for legs that are behind
    const double passed = 0.025 / Gait::kPeriod;
    EXPECT_NEAR(std::remainder(gait.next(phase, {phase, 1}, 0.025) - phase, 1.0), passed, 1e-9);
    EXPECT_LT(std::remainder(gait.next(phase, {phase - 0.1, 1}, 0.025) - phase, 1.0), 0.6 * passed);
    EXPECT_EQ(Gait::foot_at(phase, 0), Gait::foot_at(phase + 0.5, 1));
  }
  EXPECT_EQ(gait.told(std::vector<double>(n), std::vector<double>(n)).clarity, 0);
}

TEST_F(HeadingEnvTest, EpisodesBeginInStrides) {
  HeadingTask task = kStill;
  task.strides = 1;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    env_.reset(task, rng);
    for (int c = 0; c < env_.data().ncon; ++c)
      if (env_.model().geom_bodyid[env_.data().contact[c].geom[0]] == 0) {  // the floor
        EXPECT_GT(env_.data().contact[c].dist, -0.02);
      }
    EXPECT_TRUE(env_.is_up());
    EXPECT_GT(std::hypot(env_.data().qvel[0], env_.data().qvel[1]), 1);
  }
}

TEST_F(HeadingEnvTest, ARiserIsLedByTheWayOfItsSide) {
  const auto ways = flat_ways(model_);
  HeadingEnv env(model_, ways);
  HeadingTask task = kStill;
  task.lying = 1;
  std::array<int, 2> seen{};
  std::vector<float> said(env.action_size(), 0.2f), targets(said.size());
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    env.reset(task, rng);
    ASSERT_TRUE(env.start() == HeadingEnv::Start::kLying && env.mode() == HeadingEnv::Mode::kRises);
    const bool back = on_its_back(env.data());
    ++seen[back];
    EXPECT_EQ(env.data().qpos[2], back ? 0.3 : 0.2);
    EXPECT_EQ(env.phase(), back ? 0.5 : 0.0);
    env.lead(said, targets);
    for (size_t j = 0; j < said.size(); ++j) EXPECT_NEAR(targets[j], ways->ways[back].target(0)[j] + 0.3, 1e-5);
    env.step(task, targets, rng);
    EXPECT_NEAR(env.phase(), (back ? 0.5 : 0.0) + 0.5 / 3, 1e-9);
    env.lead(said, targets);
    for (size_t j = 0; j < said.size(); ++j) EXPECT_NEAR(targets[j], ways->ways[back].target(1)[j] + 0.3, 1e-5);
  }
  EXPECT_GT(seen[0], 2);
  EXPECT_GT(seen[1], 2);
}

TEST_F(HeadingEnvTest, WhoDoesNotStandAtTheEndOfTheWayLiesAgain) {
  HeadingEnv env(model_, flat_ways(model_));
  HeadingTask task = kStill;
  task.half_way = 1;
  std::vector<float> targets(env.action_size());
  for (const bool ends : {false, true}) {
    task.rising_ends = ends;
    Rng rng(3);
    env.reset(task, rng);
    ASSERT_TRUE(env.mode() == HeadingEnv::Mode::kRises);
    HeadingEnv::Step step;
    int steps = 0;
    for (; env.mode() == HeadingEnv::Mode::kRises && steps < 100; ++steps) {
      env.lead(std::vector<float>(targets.size()), targets);
      step = env.step(task, targets, rng);
    }
    EXPECT_LE(steps, 3 + 15);
    EXPECT_FALSE(step.rose);
    EXPECT_EQ(step.terminated, ends);
    EXPECT_TRUE(env.mode() == HeadingEnv::Mode::kLies);
  }
}

TEST_F(HeadingEnvTest, AWalkerGoesOnFromWhereARiserStoodUp) {
  const auto ways = flat_ways(model_);
  const DataPtr data = make_data(model_);
  Rng rng(4);
  mj_resetData(model_.get(), data.get());
  stand(*model_, *data, rng);
  ways->risen.assign(data->qpos, data->qpos + model_->nq);
  ways->risen.insert(ways->risen.end(), data->qvel, data->qvel + model_->nv);
  HeadingEnv env(model_, ways);
  HeadingTask task = kStill;
  task.risen = 1, task.falls_end = false, task.handed_over = 5;
  env.reset(task, rng);
  EXPECT_TRUE(env.start() == HeadingEnv::Start::kRisen && env.is_up());
  for (int k = 0; k < model_->nq; ++k) EXPECT_EQ(env.data().qpos[k], ways->risen[static_cast<size_t>(k)]);
  HeadingEnv::Step step;
  int steps = 0;
  for (; !step.done(); ++steps) step = env.step(task, std::vector<float>(env.action_size()), rng);
  EXPECT_TRUE(step.cut);
  EXPECT_EQ(steps, 5);
}

TEST_F(HeadingEnvTest, ADropComesToLieStillAndThenRises) {
  const auto ways = flat_ways(model_);
  HeadingEnv env(model_, ways);
  HeadingTask task = kStill;
  task.drops = 1, task.falls_end = false;
  const std::vector<float> held = lying_targets(*model_);
  std::vector<float> targets(held.size());
  int rises = 0;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Rng rng(seed);
    env.reset(task, rng);
    for (int t = 0; t < 100 && env.mode() == HeadingEnv::Mode::kLies; ++t) {
      env.lead(std::vector<float>(held.size(), 1.0f), targets);  // what teachers say counts for nothing here
      EXPECT_EQ(targets, held);
      env.step(task, targets, rng);
    }
    rises += env.mode() == HeadingEnv::Mode::kRises;
  }
  EXPECT_GE(rises, 6);
}

TEST_F(HeadingEnvTest, WaysUpAreKept) {
  const auto ways = flat_ways(model_);
  Tensors tensors;
  ways->store(tensors);
  const GetUps again = GetUps::load(tensors, *model_);
  for (const size_t way : {0, 1}) {
    EXPECT_EQ(again.ways[way].steps, 3u);
    EXPECT_EQ(again.ways[way].states, ways->ways[way].states);
    EXPECT_EQ(again.ways[way].targets, ways->ways[way].targets);
  }
  EXPECT_EQ(again.lying, ways->lying);
}

TEST_F(HeadingEnvTest, BelowIsLeastWhereItStands) {
  const DataPtr data = make_data(model_);
  Rng rng(12);
  mj_resetData(model_.get(), data.get());
  stand(*model_, *data, rng);
  const double standing = below(*model_, *data);
  EXPECT_LT(standing, 1);
  EXPECT_GT(risen(*model_, *data), 0.9);
  double* q = data->qpos + 3;
  q[0] = q[2] = std::sqrt(0.5), q[1] = q[3] = 0;  // on its belly
  data->qpos[2] = 0.1;
  mj_forward(model_.get(), data.get());
  EXPECT_GT(below(*model_, *data), standing + 10);
  EXPECT_LT(risen(*model_, *data), 0.3);
}

TEST_F(HeadingEnvTest, TheGaitLeadsWhoWalks) {
  const std::vector<float> said(env_.action_size(), 0.1f);
  std::vector<float> targets(said.size());
  HeadingTask task = kStill;
  task.strides = 1;
  Rng rng(11);
  env_.reset(task, rng);
  env_.lead(said, targets);
  const Gait gait(env_.model());
  double led = 0;
  for (const size_t j : gait.resting()) EXPECT_FLOAT_EQ(targets[j], said[j]);
  for (const size_t j : gait.leading()) led = std::max(led, std::abs(static_cast<double>(targets[j]) - said[j]));
  EXPECT_GT(led, 0.1);
}

TEST_F(HeadingEnvTest, TargetsReachTheirMotors) {
  const JointServo servo(*model_);
  const std::vector<double> zero(servo.size());
  for (const char* name : {"abdomen_y", "left_ankle_x", "right_knee"}) {
    const size_t joint = static_cast<size_t>(mj_name2id(model_.get(), mjOBJ_JOINT, name)) - 1;
    const size_t motor = static_cast<size_t>(mj_name2id(model_.get(), mjOBJ_ACTUATOR, name));
    std::vector<float> targets(servo.size());
    targets[joint] = 0.2f;
    std::vector<double> torques(servo.size()), moving = zero;
    servo.torques(targets, servo.rest, zero, torques);
    for (size_t k = 0; k < torques.size(); ++k) EXPECT_NEAR(torques[k], k == motor ? 0.2 : 0.0, 1e-6) << name;
    moving[joint] = 2;
    servo.torques(targets, servo.rest, moving, torques);
    EXPECT_NEAR(torques[motor], 0.2 - 0.06, 1e-6);
    targets[joint] = -10;
    servo.torques(targets, servo.rest, zero, torques);
    EXPECT_EQ(torques[motor], -1);
  }
}

TEST_F(HeadingEnvTest, AStateGoesOnExactly) {
  walk(env_, 5, 12);
  const std::vector<double> state = env_.state();
  other_.set_state(state);
  Rng rng(6), a(7), b(7);
  for (int t = 0; t < 30; ++t) {
    const std::vector<float> targets = random_targets(env_.action_size(), rng);
    const auto here = env_.step(kStill, targets, a), there = other_.step(kStill, targets, b);
    ASSERT_EQ(here.reward, there.reward) << t;
    if (here.done()) break;
  }
  EXPECT_EQ(env_.state(), other_.state());
  EXPECT_THROW(other_.set_state(std::vector<double>(5)), Error);
}

TEST_F(HeadingEnvTest, ABodyLeftAloneFallsAndADroppedOneLies) {
  Rng rng(8);
  env_.reset(kStill, rng);
  EXPECT_TRUE(env_.is_up());
  HeadingEnv::Step step;
  int steps = 0;
  for (; !step.done(); ++steps) step = env_.step(kStill, std::vector<float>(env_.action_size()), rng);
  EXPECT_TRUE(step.fell && step.terminated);
  EXPECT_GT(steps, 5);
  EXPECT_LT(steps, 200);

  // a drop does not end, and is cut at the episode's length
  HeadingTask drops = kStill;
  drops.drops = 1, drops.longest = 60;
  env_.reset(drops, rng);
  EXPECT_TRUE(env_.start() == HeadingEnv::Start::kDropped && !env_.is_up());
  step = {}, steps = 0;
  for (; !step.done(); ++steps) step = env_.step(drops, std::vector<float>(env_.action_size()), rng);
  EXPECT_TRUE(step.cut && !step.terminated);
  EXPECT_EQ(steps, 60);
}

}  // namespace
}  // namespace alps
