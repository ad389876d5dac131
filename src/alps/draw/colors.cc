#include "alps/draw/colors.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

namespace alps {

namespace {

struct OkLab {
  double lightness, a, b;
};

OkLab from_hue(double lightness, double chroma, double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  return {lightness, chroma * std::cos(angle), chroma * std::sin(angle)};
}

double gamma_encoded(double linear) {
  const double x = std::clamp(linear, 0.0, 1.0);
  return x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
}

// Ottosson's two matrices: OKLab to cone responses, their cubes to linear sRGB
Color to_srgb(OkLab c) {
  const double l = std::pow(c.lightness + 0.3963377774 * c.a + 0.2158037573 * c.b, 3);
  const double m = std::pow(c.lightness - 0.1055613458 * c.a - 0.0638541728 * c.b, 3);
  const double s = std::pow(c.lightness - 0.0894841775 * c.a - 1.2914855480 * c.b, 3);
  return {gamma_encoded(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          gamma_encoded(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          gamma_encoded(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

}  // namespace

Color sequential(double t) {
  if (std::isnan(t)) return rgb(0x9e9e9e);
  // lightness runs evenly from end to end; chroma and hue bend between these points
  static const struct {
    double chroma, hue;
  } kPoints[] = {{0.10, 308}, {0.135, 286}, {0.095, 245}, {0.088, 198}, {0.12, 160}, {0.17, 128}, {0.16, 108}};
  constexpr double kDark = 0.27, kLight = 0.93;
  constexpr int kLast = std::size(kPoints) - 1;

  t = std::clamp(t, 0.0, 1.0);
  const int i = std::min(static_cast<int>(t * kLast), kLast - 1);
  const double share = t * kLast - i, lightness = kDark + t * (kLight - kDark);
  return to_srgb(from_hue(lightness, std::lerp(kPoints[i].chroma, kPoints[i + 1].chroma, share),
                          std::lerp(kPoints[i].hue, kPoints[i + 1].hue, share)));
}

Color qualitative(size_t index) {
  // hues a golden angle apart come close again only after 8, 13, 21, 34 ... colours; five levels of lightness tell
  // those apart
  constexpr double kGoldenAngle = 137.50776405, kFirstHue = 250, kChroma = 0.145;
  constexpr double kLightness[] = {0.57, 0.71, 0.50, 0.64, 0.43};
  const double hue = std::fmod(kFirstHue + kGoldenAngle * static_cast<double>(index), 360.0);
  return to_srgb(from_hue(kLightness[index % std::size(kLightness)], kChroma, hue));
}

}  // namespace alps
