// Wilson's interval against published values, and default numbers of clusters.
#include "alps/eval/statistics.h"

#include <gtest/gtest.h>

#include "alps/eval/regions.h"

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

TEST(Clusters, ByNameElseBySize) {
  EXPECT_EQ(default_clusters("pointmaze-medium-navigate-v0", 1), 64);
  EXPECT_EQ(default_clusters("pointmaze-large-stitch-v0", 1), 96);
  EXPECT_EQ(default_clusters("antmaze-large-stitch-v0", 1), 192);
  EXPECT_EQ(default_clusters("antmaze-teleport-stitch-v0", 1), 96);
  EXPECT_EQ(default_clusters("antmaze-medium-explore-v0", 1), 128);
  EXPECT_EQ(default_clusters("antmaze-teleport-explore-v0", 1), 256);
  EXPECT_EQ(default_clusters("humanoidmaze-giant-stitch-v0", 1), 256);
  EXPECT_EQ(default_clusters("cube-single-play-v0", 1), 8);
  EXPECT_EQ(default_clusters("visual-maze2d-rooms-random-v0", 1), 16);
  EXPECT_EQ(default_clusters("mine", 64000), 40);
  EXPECT_EQ(default_clusters("mine", 10), 4);
}

}  // namespace
}  // namespace alps
