// From values to colours, and the bar that explains them. Distances take the sequential colours between their smallest
// and largest value; signed values (eigenfunctions) take diverging ones, blue below and red above a pale zero, so that
// equal strength means equal distance from zero.
#pragma once

#include <span>
#include <string>

#include "alps/draw/axis.h"
#include "alps/draw/colors.h"

namespace alps {

Color diverging(double t);  // t in [0, 1]: blue, pale at 0.5, red; outside it the nearest end, not-a-number grey

struct ColorScale {
  Axis axis;
  bool diverging = false;
  Color at(double share) const { return diverging ? alps::diverging(share) : sequential(share); }
  Color operator()(double value) const { return at(axis.share(value)); }
};

struct ColorScaleOptions {
  bool logarithmic = false;  // values that are not positive are left out
  bool diverging = false;    // symmetric around zero; excludes logarithmic
};

// covers the finite values
ColorScale make_color_scale(std::span<const float> values, ColorScaleOptions options = {});

struct ColorBar {
  ColorScale scale;
  std::string label = {};
  std::vector<Tick> ticks = {};  // instead of those of the axis
};

}  // namespace alps
