// Wilson's interval against published values.
#include "alps/eval/statistics.h"

#include <gtest/gtest.h>

namespace alps {
namespace {

TEST(Wilson, KnownValues) {
  // Newcombe (1998), table I, method 3: 81/263, 15/148, 0/20, 1/29
  const struct {
    size_t successes, trials;
    double low, high;
  } cases[] = {{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0.0, 0.1611}, {1, 29, 0.0061, 0.1718}};
  for (const auto& c : cases) {
    const Interval i = wilson(c.successes, c.trials);
    EXPECT_NEAR(i.low, c.low, 1e-4);
    EXPECT_NEAR(i.high, c.high, 1e-4);
  }
  EXPECT_NEAR(wilson(20, 20).high, 1.0, 1e-12);
  EXPECT_EQ(wilson(0, 0).low, 0);
  EXPECT_EQ(wilson(0, 0).high, 1);
}

}  // namespace
}  // namespace alps
