#include "alps/draw/chart.h"

#include <limits>

#include "alps/draw/axis.h"
#include "alps/draw/colors.h"
#include "alps/draw/episode_map.h"
#include "picture.h"

namespace alps {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string labels(const Axis& axis, int most) {
  std::string all;
  for (const Tick& tick : axis.ticks(most))
    if (!tick.label.empty()) all += tick.label + " ";
  return all;
}

TEST(Axis, LinearAndLogarithmic) {
  EXPECT_EQ(labels({0, 1e6}, 6), "0 0.2M 0.4M 0.6M 0.8M 1M ");
  EXPECT_EQ(labels({-50000, 50000}, 3), "\u221250k 0 50k ");
  EXPECT_EQ(labels({1e-4, 1000, true}, 10), "10\u207b\u2074 10\u207b\u00b3 0.01 0.1 1 10 100 1000 ");
  EXPECT_EQ(labels({1e-12, 1, true}, 5), "10\u207b\u00b9\u00b2 10\u207b\u2079 10\u207b\u2076 10\u207b\u00b3 1 ");
  EXPECT_EQ(labels({2, 8, true}, 6), labels({2, 8}, 6));  // too short for powers
  EXPECT_EQ((Axis{10, 1000, true}.share(100)), 0.5);
  EXPECT_TRUE(std::isnan(Axis{10, 1000, true}.share(-1)));
  EXPECT_NEAR((Axis{10, 1000, true}.value(0.5)), 100, 1e-9);
  AxisRange range(true);
  range.add(-1);
  range.add(kNan);
  EXPECT_TRUE(range.empty());
  for (const double constant : {0.0, 5.0, -5.0, 1e-9, 1e20}) {
    AxisRange same;
    same.add(constant);
    EXPECT_LT(same.axis().low, same.axis().high);
    EXPECT_FALSE(same.axis().ticks(5).empty()) << constant;
  }
}

class ChartTest : public PictureTest {
 protected:
  ChartTest() {
    for (int i = 0; i <= 100; i++) {
      rise_.x.push_back(i);
      rise_.y.push_back(i);
      fall_.x.push_back(i);
      fall_.y.push_back(100 - i);
      fall_.low.push_back(80 - i);
      fall_.high.push_back(120 - i);
    }
  }
  Series rise_{.label = "rise", .x = {}, .y = {}}, fall_{.label = "fall", .x = {}, .y = {}};
};

TEST_F(ChartTest, LinesHaveTheirColoursAndPlaces) {
  draw_chart(folder_ / "a.png", std::vector{rise_}, {.title = "t", .x_label = "x", .y_label = "y"});
  draw_chart(folder_ / "b.png", std::vector{rise_, fall_}, {.title = "t", .x_label = "x", .y_label = "y"});
  const Picture one(folder_ / "a.png"), two(folder_ / "b.png");
  EXPECT_GT(one.count(hex(qualitative(0))), 1000u);
  EXPECT_EQ(one.count(hex(qualitative(1))), 0u);
  EXPECT_GT(two.count(hex(qualitative(1))), 1000u);
  // the line rises from the lower left to the upper right
  const unsigned blue = hex(qualitative(0));
  Point2 first{-1, -1}, last;
  for (int x = 0; x < one.width(); x++)
    for (int y = 150; y < one.height(); y++)
      if (one.shows(blue, x, y)) {
        if (first.x < 0) first = {x + 0.0, y + 0.0};
        last = {x + 0.0, y + 0.0};
      }
  EXPECT_GT(last.x, first.x + 900);
  EXPECT_LT(last.y, first.y - 400);
}

TEST_F(ChartTest, GapsLogarithmsAndSingleValues) {
  rise_.y[50] = kNan;
  rise_.dots = rise_.dashed = true;
  fall_.low[3] = kNan;
  const Series dot{.label = "", .x = {10}, .y = {10}};
  draw_chart(folder_ / "a.png", std::vector{rise_, fall_, dot}, {.logarithmic_x = true, .logarithmic_y = true});
  const Picture logarithmic(folder_ / "a.png");
  for (size_t i = 0; i < 3; i++) EXPECT_GT(logarithmic.count(hex(qualitative(i))), 10u) << i;
  // where a fifth of the values is missing, a fifth of the line is
  Series whole{.label = "", .x = fall_.x, .y = fall_.x}, broken = whole;
  for (size_t i = 40; i < 60; i++) broken.y[i] = kNan;
  draw_chart(folder_ / "whole.png", std::vector{whole}, {.y_low = 0, .y_high = 100});
  draw_chart(folder_ / "broken.png", std::vector{broken}, {.y_low = 0, .y_high = 100});
  const auto drawn = [&](const char* name) { return double(Picture(folder_ / name).count(hex(qualitative(0)))); };
  EXPECT_NEAR(drawn("broken.png") / drawn("whole.png"), 0.79, 0.03);
  draw_chart(folder_ / "b.png", std::vector{dot}, {.y_low = 0, .y_high = 20});
  EXPECT_GT(Picture(folder_ / "b.png").count(hex(qualitative(0))), 10u);
  std::vector<Series> many(24, rise_);
  for (Series& s : many) s.label = "a rather long name";
  draw_chart(folder_ / "c.png", many);  // the legend breaks into lines
  EXPECT_LT(Picture(folder_ / "c.png").width(), 1500);
  // more values than the picture can show make no large file
  Series noise{.label = "noise", .x = {}, .y = {}};
  for (int i = 0; i < 200000; i++) {
    noise.x.push_back(i);
    noise.y.push_back(1 + 1e-4 * i);
  }
  draw_chart(folder_ / "d.svg", std::vector{noise});
  EXPECT_LT(std::filesystem::file_size(folder_ / "d.svg"), 500000u);
}

TEST_F(ChartTest, RefusesWhatCannotBeDrawn) {
  EXPECT_THROW(draw_chart(folder_ / "a.png", {}), Error);
  EXPECT_THROW(draw_chart(folder_ / "a.png", std::vector{Series{.label = "", .x = {1}, .y = {kNan}}}), Error);
  EXPECT_THROW(draw_chart(folder_ / "a.png", std::vector{Series{.label = "", .x = {1}, .y = {1, 2}}}), Error);
  fall_.low.pop_back();
  EXPECT_THROW(draw_chart(folder_ / "a.png", std::vector{fall_}), Error);
  EXPECT_THROW(draw_chart(folder_ / "a.png", std::vector{rise_}, {.y_low = 5, .y_high = 5}), Error);
  EXPECT_THROW(draw_bars(folder_ / "a.png", {}), Error);
  EXPECT_EQ(files(), 0u);
}

TEST_F(ChartTest, BarsAreAsLongAsTheirValues) {
  const std::vector<Bar> bars = {{"one", 100}, {"half", 50, 40, 60, 1}, {"none", kNan, kNan, kNan, 2}};
  draw_bars(folder_ / "a.png", bars, {.title = "t", .low = 0, .high = 100});
  const Picture picture(folder_ / "a.png");
  const double one = static_cast<double>(picture.count(hex(qualitative(0))));
  const double half = static_cast<double>(picture.count(hex(qualitative(1))));
  EXPECT_NEAR(half / one, 0.5, 0.03);
  EXPECT_EQ(picture.count(hex(qualitative(2))), 0u);
  // below zero to the left, above it to the right
  const std::vector<Bar> signs = {{"down", -3, kNan, kNan, 0}, {"up", 2, kNan, kNan, 1}};
  draw_bars(folder_ / "b.png", signs, {.value_label = "v"});
  const Picture both(folder_ / "b.png");
  const unsigned down = hex(qualitative(0)), up = hex(qualitative(1));
  EXPECT_NEAR(both.count(up) / double(both.count(down)), 2.0 / 3, 0.03);
  EXPECT_NEAR(both.centroid(up).x - both.centroid(down).x, 2.5 / 5 * 2 * 520, 60);
  // the names of groups come above the plot
  draw_bars(folder_ / "c.png", signs, {.value_label = "v", .groups = {"below", "above"}});
  const Picture named(folder_ / "c.png");
  EXPECT_GT(named.height(), both.height());
  EXPECT_GT(named.count(up), both.count(up));
}

TEST_F(ChartTest, LinesInBothFormats) {
  expect_pictures([&](const auto& path) { draw_chart(path, std::vector{rise_, fall_}, {.title = "<&>"}); });
}

TEST_F(ChartTest, BarsInBothFormats) {
  expect_pictures([&](const auto& path) { draw_bars(path, std::vector<Bar>{{"a", 1, 0.5, 2}}); });
}

class EpisodeMapTest : public PictureTest {
 protected:
  EpisodeMapTest() {
    plan_.bounds = {{0, 0}, {10, 10}};
    TaskEpisodes good{.name = "task 1", .start = Point2{1, 1}, .goal = Point2{9, 9}};
    good.episodes = {{{{1, 1}, {5, 5}, {9, 9}}, true}};
    TaskEpisodes bad{.name = "task 2", .goal = Point2{9, 1}, .route = {{2, 2}, {8, 2}}};
    bad.episodes = {{{{1, 1}, {5, 1}}, false}, {{}, false}};
    tasks_ = {good, bad, {.name = "task 3"}};
  }
  Floorplan plan_;
  std::vector<TaskEpisodes> tasks_;
};

TEST_F(EpisodeMapTest, SuccessIsGreenAndFailureRed) {
  constexpr unsigned kGoal = 0xf0a202, kFailure = 0xb3262e;
  draw_episode_map(folder_ / "good.png", plan_, std::vector{tasks_[0]});
  draw_episode_map(folder_ / "bad.png", plan_, std::vector{tasks_[1]});
  const Picture good(folder_ / "good.png"), bad(folder_ / "bad.png");
  EXPECT_LT(good.count(kFailure), 100u);                      // in the legend only
  EXPECT_GT(bad.count(kFailure), good.count(kFailure) + 10);  // where it got stuck
  EXPECT_GT(good.count(kGoal), 100u);
  const auto green = [](const Picture& p) {
    size_t n = 0;
    for (int y = 0; y < p.height(); y++)
      for (int x = 0; x < p.width(); x++) n += (p.pixel(x, y) >> 8 & 255) > (p.pixel(x, y) >> 16 & 255) + 60;
    return n;
  };
  EXPECT_GT(green(good), green(bad) + 1000);
}

TEST_F(EpisodeMapTest, OnePanelForEachTask) {
  draw_episode_map(folder_ / "three.png", plan_, tasks_, {.columns = 3});
  draw_episode_map(folder_ / "rows.png", plan_, tasks_, {.columns = 1});
  const Picture wide(folder_ / "three.png"), high(folder_ / "rows.png");
  EXPECT_GT(wide.width(), 3 * 600);
  EXPECT_GT(high.height(), 3 * 600);
  EXPECT_THROW(draw_episode_map(folder_ / "a.png", plan_, {}), Error);
  draw_episode_map(folder_ / "none.png", {}, std::vector{tasks_[2]});  // neither walls nor states
}

TEST_F(EpisodeMapTest, OnlyLeapsAreDashed) {
  tasks_[0].episodes[0].points = {{1, 1}, {1.1, 1}, {9, 9}};
  const auto dashes = [&] {
    draw_episode_map(folder_ / "a.svg", plan_, std::vector{tasks_[0]});
    const std::string svg = read_text(folder_ / "a.svg");
    return svg.find("dasharray") != std::string::npos;
  };
  plan_.walls = {{{4, 4}, {5, 5}}};
  EXPECT_FALSE(dashes());
  plan_.leap = {2, 2};  // as measured on the data (data/jumps.h)
  EXPECT_TRUE(dashes());
}

TEST_F(EpisodeMapTest, BothFormatsTheSameEveryTime) {
  expect_pictures([&](const auto& path) { draw_episode_map(path, plan_, tasks_, {.title = "t"}); });
}

}  // namespace
}  // namespace alps
