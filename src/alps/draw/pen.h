// Shapes and letters on a white page, encoded as PNG or SVG. Everything is in points (1/96 inch) from the upper left
// corner, y down; `Canvas` puts world coordinates on top. Drawn with Cairo, which only pen.cc sees.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "alps/base/frame.h"
#include "alps/base/geometry.h"
#include "alps/draw/colors.h"

namespace alps {

enum class PictureFormat { kPng, kSvg };

struct Stroke {
  Color color;
  double width = 1.5;  // points; 0 draws nothing
  bool dashed = false;
};

enum class Symbol { kCircle, kStar, kLine, kDashes };  // the last two are for legends
enum class Anchor { kLeft, kMiddle, kRight };          // what of a text lies at its point; vertically always the middle

struct TextStyle {
  double size = 10.5;  // points
  Color color;
  Anchor anchor = Anchor::kMiddle;
  bool bold = false;
  bool quarter_turn = false;  // runs upwards, for the names of vertical axes
};

// a picture of its own: one colour per cell, row by row; the first row lies at `low.y` of the rectangle it is drawn to
struct ColorGrid {
  size_t columns = 0, rows = 0;
  std::vector<Color> colors;
};

class Pen {
 public:
  Pen(PictureFormat format, double width, double height, double scale);  // scale: pixels per point in a PNG
  ~Pen();
  Pen(const Pen&) = delete;
  Pen& operator=(const Pen&) = delete;

  void polyline(std::span<const Point2> points, const Stroke& stroke);
  // as one shape: rectangles that touch show no seam, and the outline runs around the whole
  void rects(std::span<const Rect> rects, Color fill, const Stroke& outline);
  void circle(Point2 center, double radius, Color fill, const Stroke& outline);
  void polygon(std::span<const Point2> corners, Color fill, const Stroke& outline = {{}, 0});
  void symbol(Symbol symbol, Point2 at, double radius, Color fill, Color outline);
  void text(Point2 at, const std::string& text, const TextStyle& style);
  void image(const ColorGrid& grid, Rect rect);  // cells stay sharp and show no seams; embedded as PNG in an SVG
  void clip(Rect rect);                          // for all that follows, instead of the one before

  // pictures that move, PNG only: what is there, and all of it replaced
  Frame pixels() const;
  void replace(const Frame& frame);

  std::string encode();  // the bytes of the file; the last call

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

double text_width(const std::string& text, const TextStyle& style);  // in points

}  // namespace alps
