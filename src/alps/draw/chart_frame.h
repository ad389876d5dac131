// What line and bar charts share: a plot with two axes, its grid lines, numbers and names. In points, y down.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "alps/base/geometry.h"
#include "alps/draw/axis.h"
#include "alps/draw/pen.h"

namespace alps {

struct ChartFrame {
  static constexpr double kTickRoomX = 70, kTickRoomY = 44;  // along an axis for each of its numbers
  static constexpr double kTickGap = 7, kLabelLine = 18;     // between plot and numbers; for the name of an axis
  static double below(const std::string& label);             // room for the numbers and the name of the lower axis

  Rect plot;
  Axis x, y;

  Point2 place(double at_x, double at_y) const;  // not finite for values that an axis does not take
  // grid lines, faint where a logarithm has no number, the numbers and the name
  void draw_x(Pen& pen, std::span<const Tick> ticks, const std::string& label) const;
  void draw_y(Pen& pen, std::span<const Tick> ticks, const std::string& label) const;
};

// the range of the data with some air, or what the caller wants; throws Error when nothing lies between its ends
Axis chart_axis(const AxisRange& range, std::optional<double> low, std::optional<double> high, double air);

void save_picture(const std::filesystem::path& path, Pen& pen);  // atomic

}  // namespace alps
