// PPO and what is trained with it: advantages against their definition, trainings that go on exactly where they were
// killed, whatever the number of threads. Gradients are checked in tests/golden/test_ppo.py.
#include "alps/collect/ppo.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "../world/flat_ways.h"
#include "alps/base/error.h"
#include "alps/base/file.h"
#include "alps/collect/expert_check.h"
#include "alps/collect/student_training.h"
#include "alps/collect/teacher_training.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

TEST(Ppo, AdvantagesAreDiscountedSumsOfSurprises) {
  constexpr double kDiscount = 0.9, kLambda = 0.7;
  const std::vector<float> rewards = {1, 2, 3, 4, 5}, values = {0.5f, 1, -1, 2, 0.25f}, next = {1, -1, 0, 7, 3};
  const std::vector<char> ends = {PpoRollout::kGoesOn, PpoRollout::kGoesOn, PpoRollout::kTerminated, PpoRollout::kCut,
                                  PpoRollout::kGoesOn};
  std::vector<float> out(5);
  generalized_advantages(rewards, values, next, ends, kDiscount, kLambda, out);
  for (size_t t = 0; t < 5; ++t) {
    double sum = 0, weight = 1;
    for (size_t k = t; k < 5; ++k) {
      sum += weight * (rewards[k] + kDiscount * next[k] - values[k]);
      weight *= kDiscount * kLambda;
      if (ends[k] != PpoRollout::kGoesOn) break;
    }
    EXPECT_NEAR(out[t], sum, 1e-5) << t;
  }
}

TEST(Ppo, ScalesAreThoseOfAllRowsTogether) {
  Rng rng(1);
  std::vector<float> rows(3 * 200);
  for (size_t i = 0; i < rows.size(); ++i)
    rows[i] = static_cast<float>(5.0 * static_cast<double>(i % 3) + rng.normal());
  RunningScale scale(3);
  scale.add(std::span(rows).first(3 * 30));
  scale.add(std::span(rows).subspan(3 * 30));
  for (size_t k = 0; k < 3; ++k) {
    double mean = 0, square = 0;
    for (size_t r = 0; r < 200; ++r) mean += rows[3 * r + k] / 200;
    for (size_t r = 0; r < 200; ++r) square += (rows[3 * r + k] - mean) * (rows[3 * r + k] - mean) / 200;
    EXPECT_NEAR(scale.mean[k], mean, 1e-4);
    EXPECT_NEAR(scale.variance[k], square, 1e-4);
  }
}

class TeacherTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  const fs::path folder_ = fs::temp_directory_path() / str("alps-teacher-", getpid());
};

TeacherTrainingParams small_teacher() {
  TeacherTrainingParams params;
  params.ppo.hidden = {24, 16};
  params.ppo.minibatch = 60;
  params.bodies = 25, params.horizon = 12;
  params.steps = 25 * 12 * 7;
  params.spread_steps = 1200;
  params.checkpoint_every = 2, params.curve_every = 1;
  params.seed = 3, params.threads = 2;
  return params;
}

struct Killed {};

TEST_F(TeacherTest, TeachingGoesOnWhereItWasKilled) {
  const fs::path whole = folder_ / "whole", parts = folder_ / "parts";
  const TeacherTrainingParams params = small_teacher();
  train_teacher(whole, params, false, {});
  TeacherTrainingParams first = params;
  first.threads = 1;
  EXPECT_THROW(train_teacher(parts, first, false,
                             [](const TeacherProgress& p) {
                               if (p.step == 25 * 12 * 5) throw Killed();
                             }),
               Killed);
  EXPECT_THROW(train_teacher(parts, params, false, {}), Error);  // not without being asked
  TeacherTrainingParams other = params;
  other.seed = 4;
  EXPECT_THROW(train_teacher(parts, other, true, {}), Error);  // nor with another seed
  train_teacher(parts, params, true, {});
  EXPECT_EQ(read_text(whole), read_text(parts));
  const std::string curve = read_text(parts.string() + ".csv");
  EXPECT_EQ(std::count(curve.begin(), curve.end(), '\n'), 1 + 7);
  EXPECT_THROW(train_teacher(folder_ / "none", params, true, {}), Error);
}

TEST_F(TeacherTest, ARiserLearnsFromItsWays) {
  TeacherTrainingParams params = small_teacher();
  params.ways = flat_ways(load_plane_model("humanoid"));
  params.task = {.lying = 0.5, .half_way = 1, .rising_ends = true};
  params.ppo.mirror = false;
  double up = 1, reward = 0;
  train_teacher(folder_ / "riser", params, false, [&](const TeacherProgress& p) { up = p.up, reward = p.reward; });
  EXPECT_EQ(up, 0);         // these ways lead nowhere
  EXPECT_GT(reward, 0.01);  // but it is near them
}

TEST_F(TeacherTest, AStudentLearnsWhatItsTeacherDoes) {
  const fs::path whole = folder_ / "whole", parts = folder_ / "parts";
  const Teachers teacher{folder_ / "walker", folder_ / "riser", flat_ways(load_plane_model("humanoid"))};
  train_teacher(teacher.walker, small_teacher(), false, {});
  TeacherTrainingParams rising = small_teacher();
  rising.ways = teacher.ways;
  rising.task = {.lying = 0.5, .half_way = 1, .rising_ends = true};
  train_teacher(teacher.riser, rising, false, {});
  StudentTrainingParams params;
  params.hidden = {48, 32};
  params.bodies = 24, params.horizon = 12, params.minibatch = 96;
  params.steps = 24 * 12 * 20, params.teacher_steps = 24 * 12 * 5;
  params.memory = 2000;
  params.checkpoint_every = 4, params.curve_every = 1;
  params.seed = 5, params.threads = 2;
  std::vector<double> losses;
  train_student(whole, teacher, params, false, [&](const StudentProgress& p) { losses.push_back(p.loss); });
  EXPECT_LT(losses.back(), 0.2 * losses.front());

  StudentTrainingParams first = params;
  first.threads = 1;
  EXPECT_THROW(train_student(parts, teacher, first, false,
                             [](const StudentProgress& p) {
                               if (p.step == 24 * 12 * 14) throw Killed();
                             }),
               Killed);
  EXPECT_THROW(train_student(parts, teacher, params, false, {}), Error);
  train_student(parts, teacher, params, true, {});
  EXPECT_EQ(read_text(whole), read_text(parts));
  EXPECT_FALSE(fs::exists(parts.string() + ".checkpoint"));

  // and it can be walked with: torques of a posture, the same when everything is turned
  const Expert expert = expert_for("humanoid", whole);
  std::vector<float> posture(67);
  Rng rng(6);
  for (float& p : posture) p = static_cast<float>(0.3 * rng.normal());
  std::vector<double> action(21), turned(21);
  expert(posture, {1, 0}, action);
  for (const size_t k : {37, 40}) posture[k] = -std::exchange(posture[k + 1], posture[k]);
  expert(posture, {0, 1}, turned);
  for (size_t j = 0; j < 21; ++j) {
    EXPECT_NEAR(action[j], turned[j], 1e-5);
    EXPECT_LE(std::abs(action[j]), 1);
  }
  EXPECT_THROW(expert_for("humanoid", teacher.walker), Error);  // a teacher is no expert

  // another one that begins with it does what it did, as long as it learns next to nothing
  StudentTrainingParams second = params;
  second.from = whole, second.steps = 24 * 12, second.lr = second.lr_last = 1e-9;
  train_student(folder_ / "second", teacher, second, false, {});
  expert(posture, {0, 1}, action);
  expert_for("humanoid", folder_ / "second")(posture, {0, 1}, turned);
  for (size_t j = 0; j < 21; ++j) EXPECT_NEAR(action[j], turned[j], 5e-3) << j;
  second.hidden = {48, 31};
  EXPECT_THROW(train_student(folder_ / "third", teacher, second, false, {}), Error);
}

TEST(FallWatch, CountsFallsAndRises) {
  FallWatch watch;
  const auto pass = [&](bool down, int steps) {
    for (int t = 0; t < steps; ++t) watch.step(down);
  };
  pass(false, 20);  // in the air, after a drop
  pass(true, 100);
  EXPECT_FALSE(watch.up_soon());
  pass(false, 50);
  EXPECT_TRUE(watch.up_soon());
  EXPECT_EQ(watch.falls(), 0);
  pass(true, 30);
  EXPECT_EQ(watch.falls(), 0);  // still has time to get up
  pass(false, 50);
  EXPECT_EQ(watch.falls(), 1);
  EXPECT_EQ(watch.up_again(), 1);
  pass(true, 200);
  EXPECT_EQ(watch.falls(), 2);
  EXPECT_EQ(watch.up_again(), 1);
  EXPECT_TRUE(watch.down());

  FallWatch late;
  for (int t = 0; t < 400; ++t) late.step(t < 200);
  EXPECT_FALSE(late.up_soon());
  EXPECT_FALSE(late.down());
}

}  // namespace
}  // namespace alps
