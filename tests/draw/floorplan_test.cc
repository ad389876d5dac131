#include "alps/draw/floorplan.h"

#include <cairo/cairo.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>

#include "alps/base/error.h"
#include "alps/base/file.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

class FloorplanTest : public testing::Test {
 protected:
  FloorplanTest() {
    plan_.bounds = {{-6, -6}, {14, 10}};
    plan_.walls = {{{-6, -6}, {14, -2}}, {{2, -2}, {6, 2}}};
    fs::create_directories(folder_);
  }
  ~FloorplanTest() override { fs::remove_all(folder_); }

  Floorplan plan_;
  fs::path folder_ = fs::temp_directory_path() / str("alps-floorplan-", getpid());
};

// the share of pixels that are not white around a place, within `radius` pixels
double ink(const fs::path& png, Point2 at, int radius) {
  const std::shared_ptr<cairo_surface_t> image(cairo_image_surface_create_from_png(png.c_str()), cairo_surface_destroy);
  EXPECT_EQ(cairo_surface_status(image.get()), CAIRO_STATUS_SUCCESS);
  int inked = 0, all = 0;
  for (int y = -radius; y <= radius; y++)
    for (int x = -radius; x <= radius; x++, all++) {
      const unsigned char* row = cairo_image_surface_get_data(image.get()) +
                                 (std::lround(at.y) + y) * cairo_image_surface_get_stride(image.get());
      inked += (reinterpret_cast<const unsigned*>(row)[std::lround(at.x) + x] & 0xffffff) != 0xffffff;
    }
  return static_cast<double>(inked) / all;
}

// Well-formed enough for any reader: every tag is closed in order, and attributes are quoted.
void expect_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
    const size_t end = xml.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = xml.substr(at + 1, end - at - 1);
    ASSERT_EQ(std::count(tag.begin(), tag.end(), '"') % 2, 0) << tag;
    const std::string name = tag.substr(0, tag.find_first_of(" \n/", 1));
    if (tag[0] == '?' || tag.back() == '/') continue;
    if (tag[0] != '/') {
      open.push_back(name);
      continue;
    }
    ASSERT_FALSE(open.empty()) << tag;
    ASSERT_EQ(tag.substr(1), open.back());
    open.pop_back();
  }
  EXPECT_TRUE(open.empty());
}

TEST_F(FloorplanTest, WallsAreInkAndFloorIsWhite) {
  Canvas canvas(folder_ / "a.png", {.world = plan_.bounds});
  draw_floorplan(canvas, plan_);
  canvas.save();
  const auto at = [&](Point2 world) { return ink(folder_ / "a.png", 2 * canvas.place(world), 10); };
  EXPECT_EQ(at({4, 0}), 1);
  EXPECT_EQ(at({-4, -4}), 1);
  EXPECT_EQ(at({4, -2}), 1);  // where two walls touch
  EXPECT_EQ(at({0, 0}), 0);
  EXPECT_EQ(at({10, 5}), 0);
  EXPECT_GT(at({14, 5}), 0);  // the border
}

TEST_F(FloorplanTest, TeleportsAreDarkAndLightDiscs) {
  plan_.marks = {{{-2, 4}, 1, "teleport_in"}, {{10, 4}, 1, "teleport_out"}};
  Canvas canvas(folder_ / "a.png", {.world = plan_.bounds});
  draw_floorplan(canvas, plan_);
  canvas.save();
  EXPECT_EQ(ink(folder_ / "a.png", 2 * canvas.place({-2, 4.7}), 4), 1);
  EXPECT_EQ(ink(folder_ / "a.png", 2 * canvas.place({10, 4.7}), 4), 1);
  EXPECT_EQ(ink(folder_ / "a.png", 2 * canvas.place({10, 5.5}), 4), 0);
}

TEST_F(FloorplanTest, TrajectoriesInBothFormatsAndScales) {
  std::vector<std::vector<Point2>> walks(3);
  for (int i = 0; i < 200; i++) walks[0].push_back({-4 + 0.05 * i, 5 + std::sin(0.2 * i)});
  walks[1] = {{0, 0}};  // an episode of one state, and an empty one
  draw_trajectories(folder_ / "a.png", plan_, walks, "a maze", {.episodes = 1000});
  draw_trajectories(folder_ / "a.svg", plan_, walks, "<a> & \"maze\"", {.episodes = 1000});
  expect_well_formed(read_text(folder_ / "a.svg"));
  EXPECT_NE(read_text(folder_ / "a.svg").find("<svg"), std::string::npos);

  // the unit square and a plan of nothing
  const std::vector<std::vector<Point2>> steps = {{{0.1, 0.1}, {0.3, 0.2}, {0.9, 0.9}}};
  draw_trajectories(folder_ / "unit.png", {.bounds = {{0, 0}, {1, 1}}, .walls = {}, .marks = {}}, steps, "unit");
  draw_trajectories(folder_ / "box.png", {}, walks, "box");
  draw_trajectories(folder_ / "none.svg", {}, {}, "");
  expect_well_formed(read_text(folder_ / "none.svg"));
}

TEST_F(FloorplanTest, OnlyLeapsMakeDashes) {
  const std::vector<std::vector<Point2>> walks = {{{-4, 4}, {-3, 4}, {10, 8}, {11, 8}}};
  const auto dashes = [&](Point2 leap) {
    plan_.leap = leap;
    draw_trajectories(folder_ / "a.svg", plan_, walks, "");
    const std::string svg = read_text(folder_ / "a.svg");
    size_t count = 0;
    for (size_t at = svg.find("dasharray"); at != std::string::npos; at = svg.find("dasharray", at + 1)) count++;
    return count;
  };
  // the unit steps of the point mass in maze2d are long, and yet no jumps
  EXPECT_EQ(dashes(kNoLeaps), 0u);
  EXPECT_EQ(dashes({5, 5}), 2u);   // in the legend and in the maze
  EXPECT_EQ(dashes({20, 3}), 2u);  // one of the two is enough: the step is 13 along x and 4 along y
  EXPECT_EQ(dashes({20, 5}), 0u);
}

TEST_F(FloorplanTest, ErrorsLeaveNothingBehind) {
  write_text(folder_ / "file", "");
  EXPECT_THROW(draw_trajectories(folder_ / "a.pdf", plan_, {}, ""), UsageError);
  EXPECT_THROW(draw_trajectories(folder_ / "file" / "a.png", plan_, {}, ""), Error);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace alps
