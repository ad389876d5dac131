// Reads back what was drawn: the pixels of a PNG, the order of an SVG, and a folder that cleans up after itself.
#pragma once

#include <cairo/cairo.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "alps/base/error.h"
#include "alps/base/file.h"
#include "alps/base/geometry.h"
#include "alps/draw/colors.h"

namespace alps {

// how far two colours are apart in their most different channel
inline int apart(unsigned a, unsigned b) {
  int most = 0;
  for (const int shift : {0, 8, 16})
    most = std::max(most, std::abs(static_cast<int>(a >> shift & 255) - static_cast<int>(b >> shift & 255)));
  return most;
}

class Picture {
 public:
  explicit Picture(const std::filesystem::path& path)
      : surface_(cairo_image_surface_create_from_png(path.c_str()), cairo_surface_destroy) {
    EXPECT_EQ(cairo_surface_status(surface_.get()), CAIRO_STATUS_SUCCESS) << path;
  }
  int width() const { return cairo_image_surface_get_width(surface_.get()); }
  int height() const { return cairo_image_surface_get_height(surface_.get()); }
  unsigned pixel(int x, int y) const {  // 0xRRGGBB
    const unsigned char* row =
        cairo_image_surface_get_data(surface_.get()) + y * cairo_image_surface_get_stride(surface_.get());
    return reinterpret_cast<const unsigned*>(row)[x] & 0xffffff;
  }
  unsigned at(Point2 points) const {  // two pixels for each point
    return pixel(static_cast<int>(2 * points.x), static_cast<int>(2 * points.y));
  }
  bool shows(unsigned color, int x, int y) const { return apart(pixel(x, y), color) <= 1; }  // but for rounding
  size_t count(unsigned color) const {
    size_t n = 0;
    for (int y = 0; y < height(); y++)
      for (int x = 0; x < width(); x++) n += shows(color, x, y);
    return n;
  }
  // the mean place of a colour, in pixels
  Point2 centroid(unsigned color) const {
    Point2 sum;
    for (int y = 0; y < height(); y++)
      for (int x = 0; x < width(); x++)
        if (shows(color, x, y)) sum = sum + Point2{x + 0.5, y + 0.5};
    return 1.0 / static_cast<double>(count(color)) * sum;
  }

 private:
  std::shared_ptr<cairo_surface_t> surface_;
};

inline unsigned hex(Color c) {
  const auto byte = [](double x) { return static_cast<unsigned>(std::lround(255 * x)); };
  return byte(c.red) << 16 | byte(c.green) << 8 | byte(c.blue);
}

class PictureTest : public testing::Test {
 protected:
  PictureTest() { std::filesystem::create_directories(folder_); }
  ~PictureTest() override { std::filesystem::remove_all(folder_); }
  size_t files() const {
    return std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator());
  }
  // draws twice under each ending: a PNG and an SVG come out, whole, and both times the same
  template <class Draw>
  void expect_pictures(Draw draw) {
    for (const std::string ending : {".png", ".svg"}) {
      draw(folder_ / ("first" + ending));
      draw(folder_ / ("second" + ending));
      const std::string bytes = read_text(folder_ / ("first" + ending));
      EXPECT_TRUE(bytes == read_text(folder_ / ("second" + ending))) << ending;
      if (ending == ".png") {
        EXPECT_EQ(bytes.substr(0, 8), "\x89PNG\r\n\x1a\n");
      } else {
        EXPECT_NE(bytes.find("<svg"), std::string::npos);
        EXPECT_TRUE(bytes.ends_with("</svg>\n"));
      }
    }
    EXPECT_EQ(files(), 4u);
    EXPECT_THROW(draw(folder_ / "a.pdf"), UsageError);
    EXPECT_EQ(files(), 4u);
  }

  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / str("alps-draw-", getpid());
};

}  // namespace alps
