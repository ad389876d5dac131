#include "alps/draw/colors.h"

#include <gtest/gtest.h>

#include <cmath>

namespace alps {
namespace {

double linear(double x) { return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4); }

// CIE lightness, 0 .. 100
double lightness(Color c) {
  const double y = 0.2126 * linear(c.red) + 0.7152 * linear(c.green) + 0.0722 * linear(c.blue);
  return 116 * std::cbrt(y) - 16;
}

TEST(Colors, SequentialGetsEvenlyLighter) {
  const double whole = lightness(sequential(1)) - lightness(sequential(0));
  EXPECT_GT(whole, 70);
  for (int i = 0; i < 50; i++) {
    const double step = lightness(sequential((i + 1) / 50.0)) - lightness(sequential(i / 50.0));
    EXPECT_GT(step, 0.5 * whole / 50) << i;
    EXPECT_LT(step, 1.6 * whole / 50) << i;
  }
}

TEST(Colors, SequentialHoldsItsEnds) {
  EXPECT_EQ(sequential(-3).red, sequential(0).red);
  EXPECT_EQ(sequential(INFINITY).green, sequential(1).green);
  const Color missing = sequential(NAN);
  EXPECT_EQ(missing.red, missing.blue);
}

TEST(Colors, QualitativeOnesAreDistinctAndVisibleOnWhite) {
  for (size_t i = 0; i < 24; i++) {
    const Color a = qualitative(i);
    EXPECT_LT(lightness(a), 75) << i;
    for (size_t j = 0; j < i; j++) {
      const Color b = qualitative(j);
      EXPECT_GT(std::hypot(a.red - b.red, a.green - b.green, a.blue - b.blue), 0.08) << i << " " << j;
    }
  }
}

TEST(Colors, HexAndAlpha) {
  constexpr Color c = rgb(0xff8000);
  EXPECT_EQ(c.red, 1);
  EXPECT_NEAR(c.green, 0.502, 0.001);
  EXPECT_EQ(c.blue, 0);
  EXPECT_EQ(c.with_alpha(0.3).alpha, 0.3);
}

}  // namespace
}  // namespace alps
