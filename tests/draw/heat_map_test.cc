#include "alps/draw/heat_map.h"

#include "alps/draw/canvas.h"
#include "alps/draw/cluster_map.h"
#include "alps/draw/color_scale.h"
#include "alps/draw/landscape.h"
#include "picture.h"

namespace alps {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr unsigned kStar = 0xe8252f;

// a floor of 8 x 4 with a wall in its middle; a dense grid of states, whose value grows to the right
class MapTest : public PictureTest {
 protected:
  MapTest() {
    plan_.bounds = {{0, 0}, {8, 4}};
    plan_.walls = {{{3, 1}, {5, 3}}};
    for (double y = 0.01; y < 4; y += 0.02)
      for (double x = 0.01; x < 8; x += 0.02) {
        points_.push_back({x, y});
        values_.push_back(static_cast<float>(x));
        labels_.push_back(x < 4 ? 0 : 1);
      }
  }
  // the canvas that the functions use, for places of things
  Canvas twin(CanvasOptions options) {
    options.world = plan_.bounds;
    return Canvas(folder_ / "twin.png", options);
  }

  Floorplan plan_;
  std::vector<Point2> points_;
  std::vector<float> values_;
  std::vector<int32_t> labels_;
};

using HeatMapTest = MapTest;
using ClusterMapTest = MapTest;
using LandscapeTest = MapTest;

TEST_F(HeatMapTest, ImagesHaveNoSeamsAndStandUpright) {
  Canvas canvas(folder_ / "a.png", {.world = {{0, 0}, {7, 7}}, .extent = 100, .ticks = false});
  ColorGrid grid{7, 7, std::vector<Color>(49, rgb(0x203040))};
  grid.colors[0] = rgb(0xff0000);                 // lower left
  grid.colors[48] = rgb(0x00ff00);                // upper right
  grid.colors[24] = rgb(0x0000ff).with_alpha(0);  // nothing in the middle
  canvas.image(grid, {{0, 0}, {7, 7}});
  canvas.save();
  const Picture picture(folder_ / "a.png");
  EXPECT_EQ(picture.at(canvas.place({0.5, 0.5})), 0xff0000u);
  EXPECT_EQ(picture.at(canvas.place({6.5, 6.5})), 0x00ff00u);
  EXPECT_EQ(picture.at(canvas.place({3.5, 3.5})), 0xffffffu);
  for (double x = 0.1; x < 6.9; x += 0.02) EXPECT_EQ(picture.at(canvas.place({x, 1.5})), 0x203040u) << x;
}

TEST_F(HeatMapTest, ValuesWallsAndStarAreInTheirPlaces) {
  draw_heat_map(folder_ / "a.png", plan_, points_, values_, {.title = "t", .star = Point2{1, 2}, .label = "d"});
  const ColorScale scale{{0, 8}, false};
  CanvasOptions options{.title = "t", .legend = {{Symbol::kStar, rgb(kStar), "reference"}}};
  options.bar = ColorBar{make_color_scale(values_), "d"};
  const Canvas canvas = twin(options);
  const Picture picture(folder_ / "a.png");
  EXPECT_EQ(picture.width(), 2 * canvas.width());
  EXPECT_EQ(picture.height(), 2 * canvas.height());
  for (const Point2 p : {Point2{0.3, 0.4}, {2.2, 3.1}, {6, 2}, {7.8, 0.2}})
    EXPECT_LT(apart(picture.at(canvas.place(p)), hex(scale(p.x))), 6) << p.x;
  EXPECT_EQ(picture.at(canvas.place({4, 2})), 0xd9dde2u);  // the wall covers the states below it
  EXPECT_EQ(picture.at(canvas.place({1, 2})), kStar);
}

TEST_F(HeatMapTest, ArrowsLieOnTop) {
  const auto dark = [&](const HeatMapOptions& options) {
    draw_heat_map(folder_ / "a.png", plan_, points_, values_, options);
    return Picture(folder_ / "a.png").count(0x22262b);
  };
  const size_t without = dark({}), with = dark({.arrows = {{{0.5, 0.5}, {3, 2}}}});
  EXPECT_GT(with, without + 500);
  EXPECT_GT(dark({.arrows = {{{0.5, 0.5}, {3, 2}, "about 40 steps"}}}), with + 300);
  EXPECT_EQ(dark({.arrows = {}}), without);
}

TEST_F(HeatMapTest, NanAndEmptyPlacesStayWhite) {
  for (size_t i = 0; i < points_.size(); i++) {
    if (points_[i].x < 2) values_[i] = kNan;
    if (points_[i].x > 6) points_[i].x = NAN;
  }
  draw_heat_map(folder_ / "a.png", plan_, points_, values_);
  CanvasOptions options;
  options.bar = ColorBar{make_color_scale(std::vector<float>{2, 6})};
  const Canvas canvas = twin(options);
  const Picture picture(folder_ / "a.png");
  EXPECT_EQ(picture.at(canvas.place({1, 2})), 0xffffffu);
  EXPECT_EQ(picture.at(canvas.place({7, 2})), 0xffffffu);
  EXPECT_NE(picture.at(canvas.place({2.5, 2})), 0xffffffu);
}

TEST_F(HeatMapTest, SignedAndLogarithmicScales) {
  const ColorScale both = make_color_scale(std::vector<float>{-1, 4, kNan}, {.diverging = true});
  EXPECT_EQ(both.axis.low, -4);
  EXPECT_EQ(hex(both(0)), hex(diverging(0.5)));
  EXPECT_EQ(hex(both(-4)), hex(diverging(0)));
  EXPECT_GT(diverging(1).red, diverging(1).blue);
  const ColorScale log = make_color_scale(std::vector<float>{0, 1, 100, -5}, {.logarithmic = true});
  EXPECT_EQ(log.axis.low, 1);
  EXPECT_NEAR(log.axis.share(10), 0.5, 1e-12);
  EXPECT_EQ(hex(log(0)), hex(sequential(NAN)));
  EXPECT_LT(make_color_scale(std::vector<float>{3, 3}).axis.low, 3);  // a constant still has a scale
  draw_heat_map(folder_ / "a.png", plan_, points_, values_, {.logarithmic = true});
  draw_heat_map(folder_ / "b.png", plan_, points_, std::vector<float>(points_.size(), 3));
}

TEST_F(HeatMapTest, PanelsEachShowTheirOwn) {
  const std::vector<std::string> titles = {"one", "two", "three"};
  std::vector<std::vector<float>> columns(3, values_);
  for (float& v : columns[1]) v = 8 - v;
  for (float& v : columns[2]) v = v > 4 ? 1.0f : -1.0f;
  draw_heat_maps(folder_ / "a.png", plan_, points_, columns, titles, 2, {.diverging = false});
  CanvasOptions options{.extent = 220, .ticks = false, .panels = titles, .columns = 2};
  Canvas canvas = twin(options);
  const Picture picture(folder_ / "a.png");
  const auto color = [&](size_t panel, Point2 p) {
    canvas.panel(panel);
    return picture.at(canvas.place(p));
  };
  EXPECT_LT(apart(color(0, {7.9, 2}), hex(sequential(1))), 8);
  EXPECT_LT(apart(color(1, {7.9, 2}), hex(sequential(0))), 8);
  EXPECT_EQ(color(2, {1, 2}), hex(sequential(0)));
  canvas.panel(2);
  const Point2 third = canvas.place({0, 4});
  canvas.panel(0);
  EXPECT_EQ(third.x, canvas.place({0, 4}).x);  // in the second row
  EXPECT_GT(third.y, canvas.place({0, 0}).y);
  EXPECT_THROW(canvas.panel(3), std::logic_error);
}

TEST_F(HeatMapTest, RefusesWhatCannotBeDrawn) {
  const std::vector<float> none(points_.size(), kNan);
  EXPECT_THROW(draw_heat_map(folder_ / "a.png", plan_, points_, {}), Error);
  EXPECT_THROW(draw_heat_map(folder_ / "a.png", plan_, {}, {}), Error);
  EXPECT_THROW(draw_heat_map(folder_ / "a.png", plan_, points_, none), Error);
  EXPECT_THROW(draw_heat_maps(folder_ / "a.png", plan_, points_, {}, {}), Error);
  EXPECT_THROW(
      draw_heat_maps(folder_ / "a.png", plan_, points_, std::vector{values_, none}, std::vector<std::string>{"a", "b"}),
      Error);
  EXPECT_THROW(draw_heat_maps(folder_ / "a.png", plan_, points_, std::vector{values_, values_}, {}), Error);
  EXPECT_THROW(draw_landscape(folder_ / "a.png", plan_, points_, none), Error);
  EXPECT_THROW(draw_landscape(folder_ / "a.png", plan_, {}, values_), Error);
  EXPECT_THROW(draw_cluster_map(folder_ / "a.png", plan_, points_, {}), Error);
  EXPECT_THROW(draw_cluster_map(folder_ / "a.png", plan_, {}, {}), Error);
  EXPECT_THROW(draw_cluster_map(folder_ / "a.png", plan_, points_, std::vector<int32_t>(points_.size(), -1)), Error);
  EXPECT_EQ(files(), 0u);
}

TEST_F(HeatMapTest, BothFormatsTheSameEveryTime) {
  expect_pictures([&](const auto& path) { draw_heat_map(path, plan_, points_, values_, {.star = Point2{1, 1}}); });
}

TEST_F(HeatMapTest, PanelsInBothFormats) {
  expect_pictures([&](const auto& path) {
    draw_heat_maps(path, {}, points_, std::vector{values_, values_}, std::vector<std::string>{"a", "b"});
  });
}

TEST_F(ClusterMapTest, RegionsGraphAndRoute) {
  ClusterMapOptions options{.title = "t", .nodes = cluster_centers(points_, labels_, 3)};
  EXPECT_NEAR(options.nodes[0].x, 2, 1e-6);
  EXPECT_NEAR(options.nodes[1].x, 6, 1e-6);
  EXPECT_TRUE(std::isnan(options.nodes[2].x));  // no state has this label
  draw_cluster_map(folder_ / "plain.png", plan_, points_, labels_, {.title = "t"});
  options.edges = {{0, 1, 5}, {1, 2, 1}};
  options.route = {0, 1};
  options.start = Point2{0.5, 0.5};
  options.goal = Point2{7.5, 3.5};
  draw_cluster_map(folder_ / "graph.png", plan_, points_, labels_, options);

  const Canvas canvas = twin({.title = "t"});
  const Picture plain(folder_ / "plain.png");
  const unsigned left = plain.at(canvas.place({1, 3})), right = plain.at(canvas.place({7, 1}));
  EXPECT_NE(left, right);
  EXPECT_NE(left, 0xffffffu);
  EXPECT_EQ(plain.at(canvas.place({2.9, 0.1})), left);
  EXPECT_EQ(plain.at(canvas.place({4, 2})), 0xd9dde2u);
  const Picture graph(folder_ / "graph.png");
  EXPECT_GT(graph.count(kStar), plain.count(kStar) + 100);
  EXPECT_GT(graph.count(0x111418), 500u);  // the route
}

TEST_F(ClusterMapTest, RefusesUnknownClusters) {
  const std::vector<Point2> nodes = {{1, 1}, {2, 2}};
  for (const ClusterMapOptions& options :
       {ClusterMapOptions{.edges = {{0, 1}}}, ClusterMapOptions{.nodes = nodes, .edges = {{0, 2}}},
        ClusterMapOptions{.nodes = nodes, .route = {2}}})
    EXPECT_THROW(draw_cluster_map(folder_ / "a.png", plan_, points_, labels_, options), Error);
  EXPECT_THROW(cluster_centers(points_, {}, 2), Error);
}

TEST_F(ClusterMapTest, BothFormatsTheSameEveryTime) {
  expect_pictures([&](const auto& path) { draw_cluster_map(path, plan_, points_, labels_); });
}

TEST_F(LandscapeTest, RisesFromTheStar) {
  draw_landscape(folder_ / "a.png", {}, points_, values_, {.star = Point2{0.1, 2}});
  const Picture picture(folder_ / "a.png");
  ASSERT_GT(picture.count(kStar), 100u);
  // the highest colours lie above the star, which is the lowest place
  double top = 1e9;
  for (int y = 0; y < picture.height() && top == 1e9; y++)
    for (int x = 0; x < picture.width(); x++) {
      const unsigned c = picture.pixel(x, y);
      if ((c >> 16 & 255) > 200 && (c & 255) < 120 && (c >> 8 & 255) > 200) top = y;  // yellow
    }
  EXPECT_LT(top, picture.centroid(kStar).y - 100);
}

TEST_F(LandscapeTest, BothFormatsTheSameEveryTime) {
  expect_pictures([&](const auto& path) { draw_landscape(path, plan_, points_, values_, {.bins = 30}); });
}

}  // namespace
}  // namespace alps
