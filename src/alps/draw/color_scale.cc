#include "alps/draw/color_scale.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "alps/base/error.h"

namespace alps {

Color diverging(double t) {
  if (std::isnan(t)) return rgb(0x9e9e9e);
  // after Brewer's RdBu, its centre a little warmer than the white of an empty floor
  static constexpr Color kPoints[] = {rgb(0x0b3c73), rgb(0x2f74b3), rgb(0x7db4d6), rgb(0xc9dfeb), rgb(0xf0ede6),
                                      rgb(0xf6cdb5), rgb(0xe5906f), rgb(0xc0433e), rgb(0x760a24)};
  constexpr int kLast = std::size(kPoints) - 1;
  t = kLast * std::clamp(t, 0.0, 1.0);
  const int i = std::min(static_cast<int>(t), kLast - 1);
  const Color &a = kPoints[i], &b = kPoints[i + 1];
  return {std::lerp(a.red, b.red, t - i), std::lerp(a.green, b.green, t - i), std::lerp(a.blue, b.blue, t - i)};
}

ColorScale make_color_scale(std::span<const float> values, ColorScaleOptions options) {
  ALPS_CHECK(!(options.logarithmic && options.diverging));
  AxisRange range(options.logarithmic);
  for (const float value : values) {
    range.add(value);
    if (options.diverging) range.add(-value);
  }
  return {range.axis(), options.diverging};
}

}  // namespace alps
