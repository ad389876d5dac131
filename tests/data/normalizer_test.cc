#include "alps/data/normalizer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "alps/base/error.h"
#include "alps/base/rng.h"

namespace alps {
namespace {

TEST(Normalizer, MeanAndDeviation) {
  Rng rng(2);
  std::vector<float> values;
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(static_cast<float>(1000 + 3 * rng.normal()));
    values.push_back(7.25f);                                              // never changes
    values.push_back(1e6f + static_cast<float>(rng.below(2)) * 0.0625f);  // rounding of a large constant
  }
  const Normalizer normalizer = fit_normalizer(values, 3);
  EXPECT_NEAR(normalizer.mean[0], 1000, 0.1);
  EXPECT_NEAR(normalizer.deviation[0], 3, 0.05);
  EXPECT_EQ(normalizer.mean[1], 7.25f);
  EXPECT_EQ(normalizer.deviation[1], 1.0f);
  EXPECT_EQ(normalizer.deviation[2], 1.0f);
  EXPECT_EQ(normalizer.constant_columns, 2u);
  float out[3];
  normalizer.apply(std::span<const float>(values).first(3), out);
  EXPECT_EQ(out[1], 0.0f);
}

TEST(Normalizer, RefusesNonFiniteValues) {
  const std::vector<float> values = {1, 2, NAN, 4};
  try {
    fit_normalizer(values, 2);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("row 1, column 0"), std::string::npos);
  }
}

}  // namespace
}  // namespace alps
