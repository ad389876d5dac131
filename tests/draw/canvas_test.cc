// Pictures as files: what comes out can be decoded, has the promised size, shows the right colours at the right places,
// and appears whole or not at all.
#include "alps/draw/canvas.h"

#include <cairo/cairo.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <limits>

#include "alps/base/error.h"
#include "alps/base/file.h"
#include "alps/draw/ticks.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

class CanvasTest : public testing::Test {
 protected:
  CanvasTest() { fs::create_directories(folder_); }
  ~CanvasTest() override { fs::remove_all(folder_); }
  size_t files() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); }

  fs::path folder_ = fs::temp_directory_path() / str("alps-canvas-", getpid());
};

struct Image {
  explicit Image(const fs::path& path)
      : surface(cairo_image_surface_create_from_png(path.c_str()), cairo_surface_destroy) {
    EXPECT_EQ(cairo_surface_status(surface.get()), CAIRO_STATUS_SUCCESS);
  }
  int width() const { return cairo_image_surface_get_width(surface.get()); }
  int height() const { return cairo_image_surface_get_height(surface.get()); }
  unsigned at(double x, double y) const {  // 0xRRGGBB
    const unsigned char* row =
        cairo_image_surface_get_data(surface.get()) + std::lround(y) * cairo_image_surface_get_stride(surface.get());
    return reinterpret_cast<const unsigned*>(row)[std::lround(x)] & 0xffffff;
  }
  std::shared_ptr<cairo_surface_t> surface;
};

TEST_F(CanvasTest, PngHasMagicSizeAndColours) {
  const fs::path path = folder_ / "new" / "a.png";
  CanvasOptions options{.world = {{10, -5}, {30, 5}}, .extent = 300, .title = "a title", .caption = "and a caption"};
  Canvas canvas(path, options);
  const Rect block{{12, 0}, {16, 4}};
  canvas.rects({&block, 1}, rgb(0x204060));
  const double width = canvas.width(), height = canvas.height();
  const Point2 inside = canvas.place({14, 2}), below = canvas.place({14, -2});
  EXPECT_FALSE(fs::exists(path));
  canvas.save();

  EXPECT_EQ(read_text(path).substr(0, 8), "\x89PNG\r\n\x1a\n");
  const Image image(path);
  EXPECT_EQ(image.width(), 2 * width);
  EXPECT_EQ(image.height(), 2 * height);
  EXPECT_EQ(image.at(2 * inside.x, 2 * inside.y), 0x204060u);
  EXPECT_EQ(image.at(2 * below.x, 2 * below.y), 0xffffffu);
  // y is up, both axes have the same scale
  EXPECT_LT(inside.y, below.y);
  EXPECT_NEAR(canvas.place({15, 0}).x - canvas.place({14, 0}).x, canvas.points(1), 1e-9);
  EXPECT_NEAR(canvas.place({0, 1}).y - canvas.place({0, 2}).y, canvas.points(1), 1e-9);
  EXPECT_NEAR(canvas.points(20), 300, 1e-9);
}

TEST_F(CanvasTest, TouchingRectsShowNoSeam) {
  // a seam would show as a lighter column where an edge falls between two pixels
  Canvas canvas(folder_ / "a.png", {.world = {{0, 0}, {7, 7}}, .extent = 100, .scale = 1, .ticks = false});
  std::vector<Rect> blocks;
  for (int i = 0; i < 7; i++) blocks.push_back({{i + 0.0, 0}, {i + 1.0, 7}});
  canvas.rects(blocks, rgb(0x000000), {rgb(0xff0000), 1});
  canvas.save();
  const Image image(folder_ / "a.png");
  for (double x = 1; x < 99; x++) {
    const Point2 left = canvas.place({0, 3.5});
    EXPECT_EQ(image.at(left.x + x, left.y), 0u) << x;
  }
}

TEST_F(CanvasTest, DrawsEveryShape) {
  for (const char* name : {"a.png", "a.svg"}) {
    Canvas canvas(folder_ / name, {.legend = {{Symbol::kStar, rgb(0), "star"}, {Symbol::kLine, rgb(0), "line"}}});
    canvas.line({0, 0}, {1, 1}, {rgb(0x0000ff), 2, true});
    canvas.circle({0.5, 0.5}, 0.1, rgb(0x00ff00));
    canvas.marker(Symbol::kStar, {0.25, 0.75}, 10, rgb(0xff0000));
    canvas.marker(Symbol::kCircle, {0.75, 0.25}, 10, rgb(0xff00ff).with_alpha(0.5));
    canvas.text({0.5, 0.9}, "a < b & \u03c8", {});
    // neither absent nor absurd coordinates break the picture
    const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
    canvas.polyline(std::vector<Point2>{{0, 0}, {nan, 1}, {1, 1}, {1e30, inf}, {1e30, -1e30}, {0, 0.5}}, {rgb(0), 1});
    canvas.polyline({}, {rgb(0), 1});
    canvas.marker(Symbol::kStar, {nan, nan}, 10, rgb(0));
    canvas.save();
    if (std::string(name) != "a.png") continue;
    const Image image(folder_ / name);
    const auto color = [&](Point2 world) {
      const Point2 p = canvas.place(world);
      return image.at(2 * p.x, 2 * p.y);
    };
    EXPECT_EQ(color({0.5, 0.5}), 0x00ff00u);
    EXPECT_EQ(color({0.25, 0.75}), 0xff0000u);
    EXPECT_NEAR(color({0.75, 0.25}) >> 8 & 255, 128, 1);
  }
}

TEST_F(CanvasTest, RefusesOtherEndingsBeforeDrawing) {
  for (const char* name : {"a.jpg", "a", "a.png.txt", ".png"}) {
    try {
      Canvas canvas(folder_ / name, {});
      FAIL() << name;
    } catch (const UsageError& error) {
      const std::string what = error.what();
      EXPECT_NE(what.find(name), std::string::npos) << what;
      EXPECT_NE(what.find(".png"), std::string::npos) << what;
      EXPECT_NE(what.find(".svg"), std::string::npos) << what;
    }
  }
  EXPECT_EQ(files(), 0u);
  EXPECT_EQ(picture_format("x/A.PNG"), PictureFormat::kPng);
}

TEST_F(CanvasTest, UnwritablePlacesGiveAnErrorAndLeaveNothing) {
  write_text(folder_ / "file", "");
  EXPECT_THROW(Canvas(folder_ / "file" / "a.png", {}), Error);
  // a folder in the place of the picture is only noticed at the end
  fs::create_directories(folder_ / "a.svg");
  {
    Canvas canvas(folder_ / "a.svg", {});
    EXPECT_THROW(canvas.save(), Error);
  }
  // neither does a picture that is never saved leave anything
  { const Canvas canvas(folder_ / "b.png", {}); }
  EXPECT_EQ(files(), 2u);
}

TEST_F(CanvasTest, BadTextsAndSizesAreErrors) {
  EXPECT_THROW(Canvas(folder_ / "a.png", {.title = "\xff\xfe"}), Error);
  EXPECT_THROW(Canvas(folder_ / "a.png", {.extent = 1e6}), Error);
  EXPECT_THROW(Canvas(folder_ / "a.png", {.world = {{0, 0}, {0, 0}}}), std::logic_error);
  EXPECT_EQ(files(), 0u);
}

TEST_F(CanvasTest, LongTitlesAndThinWorldsStayReasonable) {
  const Canvas canvas(folder_ / "a.svg", {.world = {{0, 0}, {1, 1000}}, .title = std::string(500, 'w')});
  EXPECT_LT(canvas.width(), 800);
  EXPECT_LT(canvas.height(), 800);
}

TEST(Ticks, AreRound) {
  const auto labels = [](double low, double high, int most) {
    std::string all;
    for (const Tick& tick : axis_ticks(low, high, most)) all += tick.label + " ";
    return all;
  };
  EXPECT_EQ(labels(0, 1, 11), "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0 ");
  EXPECT_EQ(labels(0, 1, 6), "0.0 0.2 0.4 0.6 0.8 1.0 ");
  EXPECT_EQ(labels(-6, 42, 6), "0 10 20 30 40 ");
  EXPECT_EQ(labels(-6, 6, 5), "\u22125 0 5 ");
  EXPECT_EQ(labels(0, 0.05, 6), "0.00 0.01 0.02 0.03 0.04 0.05 ");
  EXPECT_EQ(labels(0, 3e6, 4), "0 1e+06 2e+06 3e+06 ");
}

}  // namespace
}  // namespace alps
