// The head of a picture: a title, below it a caption and the legend, in one line where they fit, otherwise the legend
// in lines of its own. Measured first, as a wide head widens its picture, and drawn when its place is known.
#pragma once

#include <string>
#include <vector>

#include "alps/draw/pen.h"

namespace alps {

inline constexpr Color kInk = rgb(0x22262b), kGrey = rgb(0x6b7178), kAxisGrey = rgb(0xb4b9bf), kPaper = rgb(0xffffff);
inline constexpr double kMargin = 16;  // around every picture
inline constexpr TextStyle kSmall{10.5, kGrey, Anchor::kLeft, false};

inline TextStyle small_text(Anchor anchor) { return {kSmall.size, kSmall.color, anchor, false}; }

struct LegendEntry {
  Symbol symbol = Symbol::kCircle;
  Color color;
  std::string label;
};

class Head {
 public:
  // `width`: of what lies below; `most`: how wide the title and lines of the legend may make the picture
  Head(std::string title, std::string caption, std::vector<LegendEntry> legend, double width, double most);
  double width() const { return width_; }    // of the content: head and what lies below it
  double height() const;                     // with the gap below; 0 without any text
  void draw(Pen& pen, Point2 corner) const;  // upper left

 private:
  std::string title_, caption_;
  std::vector<LegendEntry> legend_;
  std::vector<size_t> line_ends_;  // of the legend
  double width_ = 0, title_size_ = 0, legend_width_ = 0;
  bool legend_below_ = false;
};

}  // namespace alps
