// Faults put into otherwise healthy data, one at a time: each is found and named, and healthy data have none.
#include "alps/data/check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "alps/base/rng.h"

namespace alps {
namespace {

constexpr size_t kEpisodes = 30, kLength = 500;

// a walk of two positions; `more` columns are filled in by the caller
struct Walk {
  size_t columns;
  std::vector<float> states, taken;
  std::vector<Episode> episodes;

  explicit Walk(size_t more = 0, size_t count = kEpisodes) : columns(2 + more) {
    Rng rng(3);
    for (size_t e = 0; e < count; ++e) {
      double x = rng.uniform(-3, 3), y = rng.uniform(-3, 3), turn = rng.uniform(-3, 3);
      episodes.push_back({e * kLength, (e + 1) * kLength - 1});
      for (size_t row = 0; row < kLength; ++row) {
        turn += 0.2 * rng.normal();
        const double a = 0.8 * std::cos(turn), b = 0.8 * std::sin(turn);
        states.insert(states.end(), {static_cast<float>(x), static_cast<float>(y)});
        states.resize(states.size() + columns - 2);
        taken.insert(taken.end(), {static_cast<float>(a), static_cast<float>(b)});
        x = std::clamp(x + 0.05 * a, -3.0, 3.0);
        y = std::clamp(y + 0.05 * b, -3.0, 3.0);
      }
    }
  }
  float& at(size_t row, size_t column) { return states[row * columns + column]; }
  size_t rows() const { return states.size() / columns; }
  Dataset data() const {
    Dataset d;
    d.observation_shape = {columns};
    d.observations = Array::of<float>({rows(), columns}, states);
    d.actions = Array::of<float>({rows(), 2}, taken);
    d.episodes = episodes;
    return d;
  }
};

// the finding of that name, or one whose `what` is empty
Finding of(const std::vector<Finding>& all, const std::string& what) {
  for (const Finding& f : all)
    if (f.what == what) return f;
  return {};
}

TEST(Check, HealthyDataAreGood) {
  const Dataset data = Walk().data();
  for (const auto& found : {check_episodes(data), check_columns(data), check_actions(data)})
    for (const Finding& f : found) {
      EXPECT_EQ(f.mark, Mark::kGood) << f.what << ": " << f.value;
      EXPECT_FALSE(f.value.empty() || f.meaning.empty()) << f.what;
      EXPECT_TRUE(f.advice.empty()) << f.what;
    }
}

TEST(Check, DeadColumnsAndCopies) {
  Walk walk(3);
  for (size_t row = 0; row < walk.rows(); ++row) {
    walk.at(row, 2) = 7;
    walk.at(row, 3) = 100 - 20 * walk.at(row, 1);                // another unit, mirrored
    walk.at(row, 4) = walk.at(row, 0) + 0.2f * walk.at(row, 1);  // a mixture is no copy
  }
  const auto found = check_columns(walk.data());
  EXPECT_EQ(of(found, "dead columns").mark, Mark::kLook);
  EXPECT_EQ(of(found, "dead columns").value, "column 2");
  EXPECT_EQ(of(found, "duplicate columns").value, "column 3 (as 1)");
}

TEST(Check, ValuesThatOnlyTheFirstRowsHold) {
  Walk walk(2);
  Rng rng(4);
  for (size_t row = 0; row < walk.rows(); ++row) {
    const bool first = row % kLength == 0;
    walk.at(row, 2) = first ? 5 : static_cast<float>(rng.uniform(0, 1));  // beyond what comes later
    walk.at(row, 3) = static_cast<float>(first ? 0.9 : rng.uniform(0, 1));
  }
  const Finding f = of(check_episodes(walk.data()), "first rows");
  EXPECT_EQ(f.mark, Mark::kLook);
  EXPECT_EQ(f.value, "columns 2");
  EXPECT_TRUE(of(check_episodes(Walk().data()), "first rows").value.empty());
}

TEST(Check, NothingChangesAtAll) {
  Walk walk;
  std::ranges::fill(walk.states, 1.0f);
  std::ranges::fill(walk.taken, 0.5f);
  EXPECT_EQ(of(check_columns(walk.data()), "dead columns").mark, Mark::kBad);
  EXPECT_EQ(of(check_actions(walk.data()), "unused actions").mark, Mark::kBad);
}

TEST(Check, EnormousColumnsOffsetsAndOutliers) {
  Walk walk(3);
  Rng rng(1);
  for (size_t row = 0; row < walk.rows(); ++row) {
    walk.at(row, 2) = 1e9f * static_cast<float>(rng.uniform());
    walk.at(row, 3) = 50'000 + static_cast<float>(rng.normal());
    walk.at(row, 4) = static_cast<float>(rng.normal()) * 1e-3f;
  }
  walk.at(40, 4) = 900;
  const auto found = check_columns(walk.data());
  EXPECT_EQ(of(found, "enormous columns").mark, Mark::kBad);
  EXPECT_TRUE(of(found, "enormous columns").value.starts_with("column 2 "));
  EXPECT_TRUE(of(found, "columns far from zero").value.starts_with("column 3 "));
  EXPECT_TRUE(of(found, "outliers").value.starts_with("column 4 "));
}

TEST(Check, AnglesWrapAndSwitchesAndNoiseDoNot) {
  Walk walk(4);
  Rng rng(2);
  double angle = 0;
  for (size_t row = 0; row < walk.rows(); ++row) {
    angle += 0.1 + 0.05 * rng.normal();
    walk.at(row, 2) = static_cast<float>(std::remainder(angle, 2 * std::numbers::pi));
    walk.at(row, 3) = rng.uniform() < 0.05 ? 1 : 0;            // a switch
    walk.at(row, 4) = static_cast<float>(rng.uniform(-1, 1));  // noise
    walk.at(row, 5) = static_cast<float>(std::sin(angle));     // an angle as it should be stored
  }
  const Dataset data = walk.data();
  const auto wraps = find_wraps(data.observations, even_steps(data.episodes, 100'000));
  ASSERT_EQ(wraps.size(), 1u);
  EXPECT_EQ(wraps[0].column, 2u);
  EXPECT_NEAR(wraps[0].high - wraps[0].low, 2 * std::numbers::pi, 0.01);
  const Finding f = of(check_columns(data), "angles");
  EXPECT_EQ(f.mark, Mark::kLook);
  EXPECT_NE(f.value.find("column 2"), std::string::npos);
  EXPECT_NE(f.value.find("a full turn in radians"), std::string::npos);
}

TEST(Check, LimitsOfActions) {
  Walk walk;
  for (float& a : walk.taken) a *= 2;
  const Finding scaled = of(check_actions(walk.data()), "action limits");
  EXPECT_EQ(scaled.mark, Mark::kLook);
  EXPECT_NE(scaled.meaning.find("up to 1.6"), std::string::npos) << scaled.meaning;

  walk.taken[2 * 77 + 1] = -40;
  const Finding outlier = of(check_actions(walk.data()), "action limits");
  EXPECT_EQ(outlier.mark, Mark::kBad);
  EXPECT_NE(outlier.value.find("column 1: 40 against 1.6"), std::string::npos) << outlier.value;

  for (float& a : walk.taken) a = a > 0 ? 1 : -1;
  EXPECT_EQ(of(check_actions(walk.data()), "clipped actions").mark, Mark::kLook);
}

TEST(Check, EpisodesThatAreFewShortJoinedOrRunTogether) {
  EXPECT_EQ(of(check_episodes(Walk(0, 3).data()), "episodes").mark, Mark::kLook);  // 1,500 rows

  Walk pieces(0, 30);  // every episode cut where nothing ends
  pieces.episodes.clear();
  for (size_t first = 0; first < pieces.rows(); first += 20) pieces.episodes.push_back({first, first + 19});
  const auto cut = check_episodes(pieces.data());
  EXPECT_EQ(of(cut, "episodes").mark, Mark::kLook);
  EXPECT_NE(of(cut, "episodes").meaning.find("shorter than 25"), std::string::npos);
  EXPECT_EQ(of(cut, "episode ends").mark, Mark::kLook);
  EXPECT_NE(of(cut, "episode ends").value.find("begin where the one before ended"), std::string::npos);

  Walk together;  // ends that nobody marked
  together.episodes = {{0, together.rows() - 1}};
  const Finding ends = of(check_episodes(together.data()), "episode ends");
  EXPECT_EQ(ends.mark, Mark::kLook);
  EXPECT_NE(ends.value.find("leaps inside episodes"), std::string::npos) << ends.value;
}

TEST(Check, StepsAreSpreadEvenlyAndHaveASuccessor) {
  const std::vector<Episode> episodes = {{0, 1}, {2, 3}, {4, 1003}};
  EXPECT_EQ(even_steps(episodes, 10'000).size(), 1001u);
  const auto few = even_steps(episodes, 100);
  EXPECT_LE(few.size(), 100u);
  EXPECT_GE(few.size(), 80u);
  for (const size_t row : few) EXPECT_TRUE(row != 1 && row != 3 && row < 1003);
}

TEST(Finding, MarksAndJson) {
  const std::vector<Finding> found = {{Mark::kGood, "a", "1", "m"}, {Mark::kLook, "b", "\"2\"", "m", "do"}};
  EXPECT_EQ(worst(found), Mark::kLook);
  EXPECT_EQ(worst({}), Mark::kGood);
  const std::string json = findings_json(found);
  EXPECT_NE(json.find("\"mark\": \"look\""), std::string::npos);
  EXPECT_NE(json.find("\\\"2\\\""), std::string::npos);
  EXPECT_EQ(figure_text(1234567), "1,234,567");
  EXPECT_EQ(figure_text(-0.01234), "-0.0123");
  EXPECT_EQ(share_text(0.123), "12 %");
  EXPECT_EQ(share_text(0), "0 %");
  EXPECT_EQ(share_text(0.00001), "under 0.01 %");
}

}  // namespace
}  // namespace alps
