// A picture of a piece of the plane, to PNG or SVG by the file's ending. World coordinates have y up and the same scale
// on both axes; sizes of lines, markers and letters are in points (1/96 inch), so that a maze of 48 units and the unit
// square look alike. Title, caption, legend, axes and colour bar come with the options; what is drawn later lies on top
// of what was drawn before. A picture may hold several panels that show the same piece of the plane. The file appears
// under its name, whole, with `save()`.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alps/base/geometry.h"
#include "alps/draw/color_scale.h"
#include "alps/draw/colors.h"
#include "alps/draw/head.h"
#include "alps/draw/pen.h"

namespace alps {

PictureFormat picture_format(const std::filesystem::path& path);  // throws UsageError unless .png or .svg

struct CanvasOptions {
  Rect world{{0, 0}, {1, 1}};            // what is shown
  double extent = 640;                   // longer side of a plot, in points; margins and titles come on top
  double scale = 2;                      // pixels per point in a PNG
  std::string title = {};                // large, above the plot; shrinks where it would be wider than the extent
  std::string caption = {};              // small and grey below the title
  std::vector<LegendEntry> legend = {};  // in the caption's line, at its right end
  bool ticks = true;                     // numbers along both axes
  std::optional<ColorBar> bar = {};      // at the right
  std::vector<std::string> panels = {};  // the titles of several plots; empty: one plot without a title of its own
  size_t columns = 0;                    // of panels; 0: as many as fit a page
};

class Canvas {
 public:
  // refuses endings and folders that cannot be written before anything is drawn
  Canvas(std::filesystem::path path, CanvasOptions options);
  explicit Canvas(CanvasOptions options);  // in memory, for frames of a video
  ~Canvas();                               // without save() no file is left
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  void line(Point2 from, Point2 to, const Stroke& stroke);
  void polyline(std::span<const Point2> points, const Stroke& stroke);  // broken where a point is not finite
  // as one shape: rectangles that touch show no seam, and the outline runs around the whole
  void rects(std::span<const Rect> rects, Color fill, const Stroke& outline = {{}, 0});
  void circle(Point2 center, double radius, Color fill, const Stroke& outline = {{}, 0});
  void polygon(std::span<const Point2> corners, Color fill, const Stroke& outline = {{}, 0});
  void marker(Symbol symbol, Point2 at, double radius_points, Color fill, Color outline = rgb(0xffffff));
  void text(Point2 at, const std::string& text, const TextStyle& style);
  void image(const ColorGrid& grid, Rect world);  // sharp cells without seams; the first row is the lowest
  void panel(size_t index);                       // where all that follows is drawn; the first, unless told
  void panel_title(const std::string& title);     // above the current panel, where its own title is blank

  double points(double world_length) const;  // its length in the picture
  double width() const;                      // of the whole picture, in points; a PNG has `scale` times as many pixels
  double height() const;
  Point2 place(Point2 world) const;  // in the current panel, in points from the upper left corner

  void save();  // the last call

  Frame pixels() const;              // what is there so far
  void replace(const Frame& frame);  // all of it, such as by the background that all frames have

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace alps
