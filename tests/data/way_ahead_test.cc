#include "alps/data/way_ahead.h"

#include <gtest/gtest.h>

namespace alps {
namespace {

TEST(WayAhead, IsTheFirstLaterRowThatFarAway) {
  const std::vector<float> line = {0, 1, 2, 1, 0, 3, 6};
  EXPECT_EQ(way_ahead(line, 1, 2), (std::vector<size_t>{2, 5, 4, 5, 5, 6, 6}));
  EXPECT_EQ(way_ahead(line, 1, 100), (std::vector<size_t>{6, 6, 6, 6, 6, 6, 6}));
  // in two dimensions: 3-4-5
  EXPECT_EQ(way_ahead(std::vector<float>{0, 0, 3, 0, 3, 4, 9, 9}, 2, 5), (std::vector<size_t>{2, 3, 3, 3}));
}

TEST(WayAhead, RowsThatGoBackAndForthAreNotEfficient) {
  // three steps on, two to and fro, three steps on
  const std::vector<float> line = {0, 1, 2, 3, 2, 3, 2, 3, 4, 5, 6};
  const std::vector<size_t> ahead = way_ahead(line, 1, 2);
  // in two steps: from 2 (at 2) back to 2: no way at all; from 3 (at 3) to 3; the last two are kept
  EXPECT_EQ(efficient_rows(line, 1, ahead, 2, 0.99), (std::vector<size_t>{0, 1, 6, 7, 8, 9, 10}));
  EXPECT_EQ(efficient_rows(line, 1, ahead, 20, 0.99).size(), line.size());
}

TEST(WayAhead, EfficiencyIsACosine) {
  // one step along x, where the way ahead is the diagonal: cosine 0.707
  const std::vector<float> turn = {0, 0, 1, 0, 1, 1, 1, 2};
  const std::vector<size_t> ahead = way_ahead(turn, 2, 1.4);
  ASSERT_EQ(ahead[0], 2u);
  EXPECT_EQ(efficient_rows(turn, 2, ahead, 1, 0.7).front(), 0u);
  EXPECT_EQ(efficient_rows(turn, 2, ahead, 1, 0.72).front(), 1u);
}

}  // namespace
}  // namespace alps
