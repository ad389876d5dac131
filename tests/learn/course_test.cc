#include "alps/learn/course.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace alps {
namespace {

using Curve = std::function<double(int64_t)>;  // loss on held-out data after so many steps

// steps that a part takes whose loss falls along a curve
int64_t course_of(Course& course, const Curve& loss) {
  int64_t step = 0;
  for (; step < course.steps(); ++step)
    if (course.asks(step)) course.answer(step, loss(step));
  return step;
}

TEST(Course, FixedSchedulesAreFormulas) {
  const Course constant({1000, 0.5, "constant"}), cosine({1000, 0.5, "cosine"});
  EXPECT_EQ(constant.steps(), 1000);
  EXPECT_EQ(constant.lr(999), 0.5);
  EXPECT_DOUBLE_EQ(cosine.lr(0), 0.5);
  EXPECT_DOUBLE_EQ(cosine.lr(999), 0.005);
  EXPECT_NEAR(cosine.lr(500), 0.5 * 0.505, 1e-3);
  for (int64_t step = 0; step < 1000; ++step) EXPECT_FALSE(cosine.asks(step) || constant.asks(step));
}

TEST(Course, ALossThatKeepsFallingTakesAllSteps) {
  Course course({60'000, 1, "settle"});
  EXPECT_EQ(course_of(course, [](int64_t step) { return std::pow(static_cast<double>(step + 1), -0.2); }), 60'000);
  // constant for two thirds, then down to a hundredth
  EXPECT_EQ(course.lr(0), 1);
  EXPECT_EQ(course.lr(40'000), 1);
  EXPECT_LT(course.lr(50'000), 0.6);
  EXPECT_DOUBLE_EQ(course.lr(59'999), 0.01);
}

TEST(Course, ALossThatHasFallenEndsItSoon) {
  // all is learned after a few hundred steps; questions at 500, 707, 1000, 1414, 2000: the last two doublings bring
  // nothing at 1414
  const Curve soon = [](int64_t step) { return 1 + std::exp(-static_cast<double>(step) / 60); };
  Course course({60'000, 1, "settle"});
  EXPECT_EQ(course_of(course, soon), 2121);
  EXPECT_EQ(course.lr(1414), 1);
  EXPECT_DOUBLE_EQ(course.lr(2120), 0.01);
  // noise that cannot be learned does not make it longer
  Course noisy({60'000, 1, "settle"});
  EXPECT_EQ(course_of(noisy, [&](int64_t step) { return 1000 + soon(step); }), 2121);
  // the same later
  Course later({60'000, 1, "settle"});
  const int64_t steps = course_of(later, [](int64_t step) { return std::exp(-static_cast<double>(step) / 1500); });
  EXPECT_GT(steps, 20'000);
  EXPECT_LT(steps, 50'000);
}

TEST(Course, OneBadAnswerIsNotEnough) {
  // stands still from 700 to 1000 steps and falls on
  Course course({20'000, 1, "settle"});
  const int64_t steps = course_of(course, [](int64_t step) {
    const double s = static_cast<double>(step <= 500 ? step : step <= 1000 ? 500 : step);
    return std::pow(s + 1, -0.3);
  });
  EXPECT_EQ(steps, 20'000);
}

TEST(Course, ItGoesOnFromItsState) {
  const Curve loss = [](int64_t step) { return std::exp(-static_cast<double>(step) / 700); };
  Course whole({60'000, 1, "settle"});
  const int64_t steps = course_of(whole, loss);
  for (const int64_t stop : {100L, 1500L, steps - 10}) {
    Course before({60'000, 1, "settle"}), after({60'000, 1, "settle"});
    int64_t step = 0;
    for (; step < stop; ++step)
      if (before.asks(step)) before.answer(step, loss(step));
    after.state().copy_(before.state());
    for (; step < after.steps(); ++step)
      if (after.asks(step)) after.answer(step, loss(step));
    EXPECT_EQ(step, steps);
    EXPECT_EQ(after.lr(steps - 5), whole.lr(steps - 5));
  }
}

TEST(Course, TimeMaySettleIt) {
  Course course({60'000, 1, "settle"});
  course.settle_now(1000);
  EXPECT_EQ(course.steps(), 1500);
  EXPECT_FALSE(course.asks(1414));
  course.settle_now(1400);
  EXPECT_EQ(course.steps(), 1500);
  // who has reached the last third declines already
  Course late({60'000, 1, "settle"});
  late.settle_now(50'000);
  EXPECT_EQ(late.steps(), 60'000);
}

TEST(Course, TimeCutsFixedSchedulesShort) {
  Course cosine({1000, 0.5, "cosine"}), constant({1000, 0.5, "constant"});
  const double before = cosine.lr(400);
  for (Course* course : {&cosine, &constant}) {
    course->settle_now(400);
    EXPECT_EQ(course->steps(), 600);
  }
  // from where the schedule had come to, down to a hundredth of it
  EXPECT_DOUBLE_EQ(cosine.lr(400), before);
  EXPECT_NEAR(cosine.lr(500), 0.505 * before, 2e-3);
  EXPECT_DOUBLE_EQ(cosine.lr(599), 0.01 * before);
  EXPECT_DOUBLE_EQ(constant.lr(400), 0.5);
  EXPECT_DOUBLE_EQ(constant.lr(599), 0.005);
}

}  // namespace
}  // namespace alps
