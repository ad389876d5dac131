// What a policy may be shown: observations of its own kind and size, and finite ones.
#include "alps/plan/policy.h"

#include <gtest/gtest.h>

#include <cmath>

namespace alps {
namespace {

TEST(CheckObservation, TheWrongKindSizeOrValueIsRefused) {
  const PolicySpec numbers{{2}, false, {{1}, {}}}, image{{2, 1, 3}, true, {{1, 1}, {}}};
  EXPECT_EQ(image.observation_size(), 6u);
  EXPECT_EQ(image.action_size(), 2u);
  EXPECT_NO_THROW(check_observation(numbers, std::vector<float>{1, 2}));
  EXPECT_THROW(check_observation(numbers, std::vector<uint8_t>{1, 2}), Error);
  EXPECT_THROW(check_observation(numbers, std::vector<float>{1, 2, 3}), Error);
  EXPECT_THROW(check_observation(numbers, std::vector<float>{1, std::nanf("")}), Error);
  EXPECT_THROW(check_observation(numbers, std::vector<float>{INFINITY, 1}), Error);
  EXPECT_NO_THROW(check_observation(image, std::vector<uint8_t>(6)));
  EXPECT_THROW(check_observation(image, std::vector<uint8_t>(5)), Error);
  EXPECT_THROW(check_observation(image, std::vector<float>(6)), Error);
}

}  // namespace
}  // namespace alps
