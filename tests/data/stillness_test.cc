#include "alps/data/stillness.h"

#include <gtest/gtest.h>

#include <cmath>

#include "alps/base/rng.h"

namespace alps {
namespace {

// a place that drifts and a limb that swings, which both rest in rows [first, last)
Array swing(size_t rows, size_t first, size_t last) {
  Rng rng(5);
  Array out(DType::kFloat32, {rows, 2});
  double x = 0, phase = 0;
  for (size_t row = 0; row < rows; ++row) {
    const double rate = row >= first && row < last ? 0.02 : 1.0;
    x += rate * 0.1 * rng.normal();
    phase += rate * 0.3;
    out.as<float>()[2 * row] = static_cast<float>(x);
    out.as<float>()[2 * row + 1] = static_cast<float>(std::sin(phase));
  }
  return out;
}

TEST(Stillness, StretchesOfRestAreLeftOut) {
  const std::vector<Episode> parts = leave_out_still(swing(2000, 600, 900), {{0, 999}, {1000, 1999}}, 0.5);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].first, 0u);
  EXPECT_NEAR(static_cast<double>(parts[0].last), 600, 40);
  EXPECT_NEAR(static_cast<double>(parts[1].first), 900, 40);
  EXPECT_EQ(parts[1].last, 999u);
  EXPECT_EQ(parts[2].first, 1000u);
  EXPECT_EQ(parts[2].last, 1999u);
}

TEST(Stillness, RestUntilTheEndAndWholeEpisodes) {
  const std::vector<Episode> parts =
      leave_out_still(swing(2000, 700, 1500), {{0, 999}, {1000, 1399}, {1400, 1999}}, 0.5);
  ASSERT_EQ(parts.size(), 2u);  // nothing is left of the second
  EXPECT_EQ(parts[0].first, 0u);
  EXPECT_NEAR(static_cast<double>(parts[0].last), 700, 40);
  EXPECT_NEAR(static_cast<double>(parts[1].first), 1500, 40);
  EXPECT_EQ(parts[1].last, 1999u);
}

TEST(Stillness, WhetherItIsLeftAgainIsCounted) {
  const std::vector<Episode> episodes = {{0, 999}, {1000, 1999}};
  const auto left_again = [&](size_t first, size_t last) {
    return share_left_again(still_stretches(swing(2000, first, last), episodes, 0.5), episodes);
  };
  EXPECT_EQ(left_again(300, 600), 1);   // goes on
  EXPECT_EQ(left_again(700, 1000), 0);  // rests to the end
  EXPECT_EQ(left_again(700, 1300),
            0.5);                  // two stretches: one to the end of its episode, one from the start of the next
  EXPECT_EQ(left_again(0, 0), 1);  // none
}

TEST(Stillness, MotionAndShortEpisodesStayWhole) {
  EXPECT_EQ(leave_out_still(swing(1000, 0, 0), {{0, 499}, {500, 999}}, 0.5).size(), 2u);
  EXPECT_EQ(leave_out_still(swing(100, 0, 100), {{0, 49}, {50, 99}}, 0.5).size(), 2u);
}

TEST(Stillness, FiftyStepsWithoutMotionAndNoFewer) {
  // one unit a step, but for 100, 50 and 45 steps
  Array line(DType::kFloat32, {1000, 1});
  float x = 0;
  for (size_t row = 0; row < 1000; ++row) {
    const bool rests = (row > 400 && row <= 500) || (row > 700 && row <= 750) || (row > 850 && row <= 895);
    x += rests ? 0 : 1;
    line.as<float>()[row] = x;
  }
  const std::vector<Episode> parts = leave_out_still(std::move(line), {{0, 999}}, 0.01);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].last, 399u);
  EXPECT_EQ(parts[1].first, 501u);
  EXPECT_EQ(parts[1].last, 699u);
  EXPECT_EQ(parts[2].first, 751u);
  EXPECT_EQ(parts[2].last, 999u);
}

// a column of small numbers counts as much as one of large numbers
TEST(Stillness, ColumnsCountInUnitsOfTheirDeviation) {
  Array rows(DType::kFloat32, {1000, 2});
  float far = 0;
  for (size_t row = 0; row < 1000; ++row) {
    far += row > 400 && row <= 600 ? 0 : 1;
    rows.as<float>()[2 * row] = far;
    rows.as<float>()[2 * row + 1] = 0.01f * static_cast<float>(std::sin(0.2 * static_cast<double>(row)));
  }
  EXPECT_EQ(leave_out_still(std::move(rows), {{0, 999}}, 0.5).size(), 1u);
}

}  // namespace
}  // namespace alps
