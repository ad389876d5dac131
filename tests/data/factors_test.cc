#include "alps/data/factors.h"

#include <gtest/gtest.h>

#include <cmath>

#include "alps/base/rng.h"
#include "alps/data/moves.h"

namespace alps {
namespace {

// A hand that wanders along a line, and two things that it takes from place to place, one at a time. Columns: hand, how
// far it is open, thing 1 minus hand, thing 1 (place, height, speed), whether the hand holds something, thing 2 (place,
// height), a switch that the hand flips now and then as two one-hot columns. Heights and speeds always rest at 0, and
// whether something is held shows in how far the hand is open.
constexpr int kHand = 0;
constexpr size_t kColumns = 11;
struct World {
  ObservationRows rows;
  std::vector<Episode> episodes;
  std::vector<Move> moves;  // what really happened; begins is left out
};

World hands_on(size_t episodes, double noise) {
  Rng rng(3);
  constexpr size_t kRows = 400;
  World world;
  Array rows(DType::kFloat32, {episodes * kRows, kColumns});
  auto out = rows.as<float>();
  for (size_t e = 0; e < episodes; ++e) {
    double hand = rng.uniform(-1, 1), x[2] = {rng.uniform(-1, 1), rng.uniform(-1, 1)}, height[2] = {0, 0};
    double before = x[0];
    bool on = rng.below(2) == 1;
    int holds = -1, job = -1, wait = 0;
    double to = 0;
    size_t taken = 0;
    world.episodes.push_back({e * kRows, e * kRows + kRows - 1});
    for (size_t i = 0; i < kRows; ++i) {
      const size_t row = e * kRows + i;
      const double values[kColumns] = {hand,
                                       (holds >= 0 ? 0.4 : 1) + 0.02 * rng.normal(),
                                       x[0] - hand,
                                       x[0],
                                       height[0],
                                       x[0] - before,
                                       1.0 * (holds >= 0),
                                       x[1],
                                       height[1],
                                       1.0 * on,
                                       1.0 * !on};
      for (size_t k = 0; k < kColumns; ++k) out[row * kColumns + k] = static_cast<float>(values[k]);
      before = x[0];
      // what to do next, after a while in which the hand wanders
      if (job < 0 && wait-- <= 0) {
        job = static_cast<int>(rng.below(3));
        to = rng.uniform(-1, 1);
      }
      double aim = job < 0 ? rng.uniform(-1, 1) : job == 2 ? 0 : holds >= 0 ? to : x[job];
      if (job >= 0 && std::abs(aim - hand) < 0.05) {
        if (job == 2) {
          on = !on;
          world.moves.push_back({2, 0, row, row + 1});
          job = -1;
        } else if (holds < 0) {
          holds = job;
          taken = row;
        } else {
          height[holds] = 0;
          world.moves.push_back({static_cast<size_t>(holds), 0, taken, row + 1});
          holds = job = -1;
        }
        wait = 12;
      }
      const double step = std::clamp(aim - hand, -0.05, 0.05) + noise * rng.normal();
      hand += step;
      if (holds >= 0) {
        x[holds] = hand;
        height[holds] = 0.2 + 0.05 * rng.normal();
      }
    }
  }
  world.rows = ObservationRows(std::move(rows));
  return world;
}

TEST(Factors, ThingsThatRestAreFoundWithoutWhatIsDerivedFromThem) {
  const World world = hands_on(60, 0.01);
  const Factors found = find_factors(world.rows, world.episodes);
  EXPECT_EQ(factors_text(found), "3/7/9-10");
}

TEST(Factors, AThingIsAllThatMovesWithItsFactor) {
  const World world = hands_on(60, 0.01);
  const auto things = thing_columns(world.rows, world.episodes, factors_named("3/7/9-10", kColumns));
  EXPECT_EQ(things, (std::vector<std::vector<size_t>>{{3, 4, 5}, {7, 8}, {9, 10}}));
}

TEST(Factors, WithoutAnythingThatMovesTheRestThereAreNone) {
  // two one-hot cells and a counter that stands still now and then: something rests at any time, but nothing moves
  // always
  Rng rng(1);
  Array rows(DType::kFloat32, {4000, 4});
  int at = 0, level = 0;
  for (size_t row = 0; row < 4000; ++row) {
    if (row % 17 == 0) at = 1 - at;
    if (row % 29 == 0) level = static_cast<int>(rng.below(5));
    const float values[] = {float(at == 0), float(at == 1), float(level), 1};
    std::copy_n(values, 4, rows.as<float>().begin() + static_cast<ptrdiff_t>(4 * row));
  }
  EXPECT_TRUE(find_factors(ObservationRows(std::move(rows)), {{0, 1999}, {2000, 3999}}).empty());
}

TEST(Factors, BodiesThatMoveAllTheTimeOrPauseAreOneWhole) {
  Rng rng(2);
  Array rows(DType::kFloat32, {8000, 3});
  double x = 0, y = 0;
  for (size_t row = 0; row < 8000; ++row) {
    const bool pause = row % 400 < 100;  // a quarter of the time
    x += pause ? 0 : 0.1 * rng.normal();
    y += pause ? 0 : 0.1 * rng.normal();
    const float values[] = {float(x), float(y), float(std::sin(0.3 * double(row)))};
    std::copy_n(values, 3, rows.as<float>().begin() + static_cast<ptrdiff_t>(3 * row));
  }
  EXPECT_TRUE(find_factors(ObservationRows(std::move(rows)), {{0, 3999}, {4000, 7999}}).empty());
}

TEST(Factors, TextAndBack) {
  EXPECT_EQ(factors_text(factors_named("4,3,7-9/0", 10)), "3-4,7-9/0");
  EXPECT_TRUE(factors_named("none", 10).empty());
  EXPECT_EQ(factors_text({}), "none");
  for (const char* wrong : {"3/3", "10", "a", "3-", "3//4", "3 4", "-1"})
    EXPECT_THROW(factors_named(wrong, 10), UsageError) << wrong;
}

TEST(Moves, AreFoundWhereTheyHappened) {
  const World world = hands_on(60, 0.01);
  const Factors factors = factors_named("3/7/9-10", kColumns);
  const std::vector<Move> found = find_moves(world.rows, world.episodes, factors);
  // most of them, for a thing that is put down beside where it was has not been moved, and hardly any others
  size_t right = 0;
  for (const Move& m : found)
    for (const Move& t : world.moves)
      right += m.factor == t.factor && std::max(m.starts, t.starts) - std::min(m.starts, t.starts) <= 2 &&
               std::max(m.ends, t.ends) - std::min(m.ends, t.ends) <= 2;
  ASSERT_GT(world.moves.size(), 300u);
  EXPECT_GT(static_cast<double>(right), 0.85 * static_cast<double>(world.moves.size()));
  EXPECT_GT(static_cast<double>(right), 0.98 * static_cast<double>(found.size()));
  // each begins where the one before it ended, or where its episode begins
  for (size_t i = 1; i < found.size(); ++i) {
    const size_t episode = found[i].starts / 400 * 400;
    EXPECT_EQ(found[i].begins, std::max(found[i - 1].ends, episode));
    EXPECT_EQ(found[i].follows, found[i - 1].ends > episode);
  }
}

TEST(Moves, AnglesAreFoundAndSwitchesAreNone) {
  Rng rng(4);
  Array rows(DType::kFloat32, {1000, 6});
  for (size_t row = 0; row < 1000; ++row) {
    const double angle = rng.uniform(-3, 3);
    const bool on = rng.below(2) == 1;
    const float values[] = {float(angle), float(std::cos(angle)), float(std::sin(angle)), float(on), float(!on), 1};
    std::copy_n(values, 6, rows.as<float>().begin() + static_cast<ptrdiff_t>(6 * row));
  }
  EXPECT_EQ(find_angles(ObservationRows(std::move(rows)), {{0, 999}}), (std::vector<size_t>{1}));
}

TEST(Moves, TheHandLeadsWhatItCarries) {
  const World world = hands_on(60, 0.01);
  const auto leaders = find_leaders(world.rows, world.episodes, factors_named("3/7", kColumns));
  ASSERT_EQ(leaders.size(), 2u);
  for (const Leader& leader : leaders) {
    EXPECT_EQ(leader.column, kHand);
    EXPECT_NEAR(leader.slope, 1, 0.1);
    EXPECT_NEAR(leader.offset, 0, 0.05);
  }
}

}  // namespace
}  // namespace alps
