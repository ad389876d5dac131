// Colours for pictures. Both scales are computed in OKLab (Ottosson 2020), where equal steps look equally large: a
// sequential scale for values, dark violet over teal to pale yellow, whose lightness grows evenly so that it survives
// grey printing; and an endless qualitative palette for things to be told apart.
#pragma once

#include <cstddef>

namespace alps {

struct Color {
  double red = 0, green = 0, blue = 0;  // sRGB, 0 .. 1
  double alpha = 1;
  Color with_alpha(double a) const { return {red, green, blue, a}; }
};

constexpr Color rgb(unsigned hex) {  // 0xRRGGBB
  return {(hex >> 16 & 255) / 255.0, (hex >> 8 & 255) / 255.0, (hex & 255) / 255.0};
}

Color sequential(double t);       // t in [0, 1]; outside it the nearest end, not-a-number grey
Color qualitative(size_t index);  // neighbours in index differ in hue and lightness

}  // namespace alps
