// What is measured of data whose pace and whose dependence on actions are known beforehand.
#include "alps/data/survey.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "alps/base/rng.h"

namespace alps {
namespace {

using Floats = std::vector<float>;

Dataset of_rows(size_t columns, const Floats& states, size_t actions, const Floats& taken,
                std::vector<Episode> episodes = {}) {
  const size_t rows = states.size() / columns;
  Dataset data;
  data.observation_shape = {columns};
  data.observations = Array::of<float>({rows, columns}, states);
  data.actions = Array::of<float>({rows, actions}, taken);
  data.episodes = episodes.empty() ? std::vector<Episode>{{0, rows - 1}} : std::move(episodes);
  return data;
}

double wave_pace(double period) { return 2 * std::sin(std::numbers::pi / period); }
float wave(size_t row, double period) {
  return static_cast<float>(std::sin(2 * std::numbers::pi * static_cast<double>(row) / period));
}

TEST(Survey, CountsAndLimitsOfEachActionColumn) {
  const Floats taken = {0.5f, 0, 3, -2, 0, -3, 2, 0, 3, 1, 0, 1, -1.99f, 0, 3};
  const Dataset data = of_rows(2, {0, 0, 1, 0, 2, 1, 3, 0, 4, 5}, 3, taken, {{0, 0}, {1, 4}});
  const Survey s = survey(data);
  EXPECT_EQ(s.rows, 5u);
  EXPECT_EQ(s.episodes, 2u);
  EXPECT_EQ(s.longest_episode, 3u);
  EXPECT_EQ(s.columns, 2u);
  EXPECT_EQ(s.actions, 3u);
  EXPECT_FALSE(s.image);
  EXPECT_EQ(s.range.limit, (Floats{2, 1e-6f, 3}));  // the second is never moved
  EXPECT_EQ(s.range.middle, (Floats{0, 0, 0}));
  EXPECT_DOUBLE_EQ(s.at_limit, 6.0 / 15);  // -2 and 2, and 3 four times, of either sign
}

// a thrust that is never negative, a force that was stronger to one side, a valve that never moves, and a switch
TEST(Survey, RangesOfActionsOnOneSideOfZero) {
  const Floats taken = {0.1f, -0.8f, 0.3f, 0, 0.9f, 1, 0.3f, 1, 0.4f, 0.2f, 0.3f, 0, 0.1f, 0.1f, 0.3f, 1};
  const Dataset data = of_rows(1, {0, 1, 2, 3}, 4, taken, {{0, 3}});
  const ActionRange range = action_range(data);
  EXPECT_EQ(range.middle, (Floats{0.5f, 0, 0.3f, 0.5f}));
  EXPECT_FLOAT_EQ(range.low(0), 0.1f);
  EXPECT_FLOAT_EQ(range.high(0), 0.9f);
  EXPECT_EQ(range.limit[1], 1);
  EXPECT_EQ(range.to_unit(2, 0.3f), 0);
  EXPECT_NEAR(range.clamped(2, 5), 0.3, 1e-5);  // whatever a network says
  EXPECT_EQ(range.to_unit(3, 1), 1);
  EXPECT_DOUBLE_EQ(share_at_limit(data, range), 4.0 / 16);  // 0.1 twice, 0.9, and the force's 1; not the switch
}

TEST(Survey, PaceIsOfTheSlowestColumnThatMoves) {
  Floats states;
  for (size_t row = 0; row <= 4000; ++row)
    states.insert(states.end(), {wave(row, 100), 100 + 7 * wave(row, 400), 3.0f, wave(row, 50)});
  const Survey s = survey(of_rows(4, states, 1, Floats(4001)));
  EXPECT_NEAR(s.pace, wave_pace(400), 1e-5);
  EXPECT_EQ(s.directness, 0.0);  // actions that are never taken explain nothing
  EXPECT_EQ(s.leaps, 0u);

  const Survey still = survey(of_rows(2, Floats(20, 5.0f), 1, Floats(10)));
  EXPECT_EQ(still.pace, 0.0);
  EXPECT_EQ(still.directness, 0.0);
}

TEST(Survey, OfManyRowsASampleIsSpreadOverAll) {
  constexpr size_t kHalf = 220'000;
  Floats states;
  for (size_t row = 0; row < 2 * kHalf; ++row) states.push_back(wave(row % kHalf, row < kHalf ? 400 : 100));
  const Survey s = survey(of_rows(1, states, 1, Floats(2 * kHalf), {{0, kHalf - 1}, {kHalf, 2 * kHalf - 1}}));
  const double both = std::sqrt((std::pow(wave_pace(400), 2) + std::pow(wave_pace(100), 2)) / 2);
  EXPECT_NEAR(s.pace, both, 1e-4);
}

// a walk of two columns whose change is a function of the two actions, which are correlated and not centred
Dataset walk(const std::function<std::array<double, 2>(double a, double b, Rng& rng)>& change,
             const std::vector<size_t>& leaps = {}) {
  Rng rng(5);
  Floats states, taken;
  double x = 0, y = 0;
  for (size_t row = 0; row < 20'000; ++row) {
    const double a = 0.5 + rng.normal(), b = 0.6 * a + 0.8 * rng.normal();
    states.insert(states.end(), {static_cast<float>(x), static_cast<float>(y)});
    taken.insert(taken.end(), {static_cast<float>(a), static_cast<float>(b)});
    const auto [dx, dy] = change(a, b, rng);
    x += dx + (std::ranges::count(leaps, row) ? 500 : 0);
    y += dy;
  }
  return of_rows(2, states, 2, taken);
}

TEST(Survey, DirectnessIsWhatActionsExplainOfTheLeastExplainedColumn) {
  EXPECT_NEAR(survey(walk([](double a, double b, Rng&) -> std::array<double, 2> {
                return {0.3 * a - 0.2 * b + 0.05, 0.1 * b - 0.06 * a};
              })).directness,
              1, 1e-3);
  // var(a) = 1: noise of the same variance leaves half, of three times the variance a quarter
  EXPECT_NEAR(survey(walk([](double a, double b, Rng& rng) -> std::array<double, 2> {
                return {0.1 * a + 0.1 * rng.normal(), b};
              })).directness,
              0.5, 0.02);
  EXPECT_NEAR(survey(walk([](double a, double, Rng& rng) -> std::array<double, 2> {
                return {0.1 * a + 0.1 * rng.normal(), 0.1 * a + 0.1 * std::sqrt(3) * rng.normal()};
              })).directness,
              0.25, 0.02);
}

TEST(Survey, ActionsThatWorkThroughInertiaAreNotDirect) {
  std::array<double, 2> speed{};
  const Survey s = survey(walk([&](double a, double b, Rng&) {
    speed = {0.99 * speed[0] + 0.01 * (a - 0.5), 0.99 * speed[1] + 0.01 * (b - 0.3)};
    return speed;
  }));
  EXPECT_GT(s.directness, 0.0);
  EXPECT_LT(s.directness, 0.1);
  EXPECT_LT(s.pace, 0.05);
}

TEST(Survey, LeapsAreCountedAndLeftOut) {
  const auto moves = [](double a, double b, Rng&) -> std::array<double, 2> {
    return {0.3 * (a - 0.5), 0.3 * (b - 0.3)};
  };
  const Survey plain = survey(walk(moves)), leaping = survey(walk(moves, {3000, 3001, 9000, 15000}));
  EXPECT_EQ(plain.leaps, 0u);
  EXPECT_EQ(leaping.leaps, 4u);
  EXPECT_GT(leaping.directness, 0.99);
}

Dataset of_images() {
  Dataset data;
  data.observation_shape = {1, 2, 1};
  data.observation_dtype = DType::kUInt8;
  data.actions = Array::of<float>({4, 1}, Floats{1, -1, 0, 0});
  data.episodes = {{0, 3}};
  return data;
}

// pairs of images of 8 x 8: all of it has the brightness of a place that hardly moves, and a dot is anywhere
Array bright_room_with_dot(double step, bool dot) {
  constexpr size_t kPairs = 400;
  Rng rng(3);
  Array pairs(DType::kUInt8, {2 * kPairs, 8, 8, 1});
  for (size_t i = 0; i < kPairs; ++i) {
    const double place = rng.uniform(20, 220);
    for (size_t k = 0; k < 2; ++k) {
      const auto image = pairs.as<uint8_t>().subspan(64 * (2 * i + k), 64);
      std::ranges::fill(image, static_cast<uint8_t>(std::lround(place + (k == 1 ? step * (i % 2 ? 1 : -1) : 0))));
      if (dot) image[rng.below(64)] = 255;
    }
  }
  return pairs;
}

TEST(Survey, ImagesHaveThePaceOfTheirSlowestLargePart) {
  const auto pace = [](const Array& pairs) { return survey(of_images(), pairs).pace; };
  const Survey s = survey(of_images(), bright_room_with_dot(4, false));
  EXPECT_TRUE(s.image);
  EXPECT_EQ(s.columns, 2u);
  EXPECT_EQ(s.directness, 0.0);
  EXPECT_DOUBLE_EQ(s.at_limit, 0.5);
  // the deviation of what is uniform over 200 levels is 200 / sqrt(12)
  EXPECT_NEAR(s.pace, 4 / 57.7, 0.005);
  EXPECT_NEAR(pace(bright_room_with_dot(8, false)), 8 / 57.7, 0.01);
  EXPECT_NEAR(pace(bright_room_with_dot(4, true)), 4 / 57.7, 0.01);
  // nothing but a dot that leaps
  Array dots(DType::kUInt8, {800, 8, 8, 1});
  std::ranges::fill(dots.as<uint8_t>(), 0);
  Rng rng(4);
  for (size_t i = 0; i < 800; ++i) dots.as<uint8_t>()[64 * i + rng.below(64)] = 255;
  EXPECT_GT(pace(dots), 1);

  EXPECT_EQ(pace(Array::of<uint8_t>({4, 1, 2, 1}, std::vector<uint8_t>(8, 9))), 0.0);
  EXPECT_EQ(pace(Array(DType::kUInt8, {0, 1, 2, 1})), 0.0);
}

Survey sample() {
  return {.rows = 11,
          .episodes = 2,
          .longest_episode = 7,
          .columns = 3,
          .actions = 2,
          .image = true,
          .range = {{0.25f, 2}, {0, 1}},
          .pace = 0.1,
          .directness = 0.75,
          .at_limit = 0.03,
          .leaps = 5};
}

TEST(Survey, JsonRoundTrip) {
  const Survey s = survey_from_json(survey_json(sample()), "here");
  EXPECT_EQ(survey_json(s), survey_json(sample()));
  EXPECT_EQ(s.rows, 11u);
  EXPECT_EQ(s.episodes, 2u);
  EXPECT_EQ(s.longest_episode, 7u);
  EXPECT_EQ(s.columns, 3u);
  EXPECT_EQ(s.actions, 2u);
  EXPECT_TRUE(s.image);
  EXPECT_EQ(s.range.limit, (Floats{0.25f, 2}));
  EXPECT_EQ(s.range.middle, (Floats{0, 1}));
  EXPECT_EQ(s.pace, 0.1);
  EXPECT_EQ(s.directness, 0.75);
  EXPECT_EQ(s.at_limit, 0.03);
  EXPECT_EQ(s.leaps, 5u);
}

// what is wrong with a text; empty if nothing is
std::string complaint(const std::string& text) {
  try {
    survey_from_json(text, "RUN/config.json");
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Survey, DamagedJsonIsRefused) {
  const std::string good = survey_json(sample());
  for (const char* text : {"", "[1]", "{", "null", "3"})
    EXPECT_NE(complaint(text).find("RUN/config.json: the measurements of the data are not"), std::string::npos) << text;
  for (const char* key : {"rows", "episodes", "longest_episode", "columns", "actions", "image", "action_limit", "pace",
                          "directness", "at_limit", "leaps"}) {
    const size_t at = good.find('"' + std::string(key) + '"');
    ASSERT_NE(at, std::string::npos) << key;
    std::string gone = good, word = good;
    gone[at + 1] = '_';
    EXPECT_NE(complaint(gone).find(key), std::string::npos) << complaint(gone);
    word.insert(good.find(':', at) + 1, "\"x\",\"_" + std::string(key) + "\":");
    EXPECT_NE(complaint(word).find("RUN/config.json: the measurements of the data are damaged"), std::string::npos)
        << word;
  }
}

// short episodes far back in the file count like others
TEST(Survey, EveryStepOfManyEpisodesCounts) {
  Rng rng(2);
  Floats states;
  std::vector<Episode> episodes;
  double sum = 0, square = 0, moved = 0;
  constexpr size_t kEpisodes = 1000;
  for (size_t e = 0; e < kEpisodes; ++e) {
    const auto here = static_cast<float>(rng.normal()), next = static_cast<float>(rng.normal());
    states.insert(states.end(), {here, next});
    episodes.push_back({2 * e, 2 * e + 1});
    sum += here / double{kEpisodes};
    square += here * here / double{kEpisodes};
    moved += (next - here) * (next - here) / double{kEpisodes};
  }
  EXPECT_NEAR(survey(of_rows(1, states, 1, Floats(2 * kEpisodes), episodes)).pace,
              std::sqrt(moved / (square - sum * sum)), 1e-5);
}

}  // namespace
}  // namespace alps
