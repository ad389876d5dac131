#include "alps/draw/ticks.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "alps/base/error.h"

namespace alps {

namespace {

std::string tick_label(double value, double step) {
  char text[64];
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  if (std::abs(value) >= 1e6 || decimals > 6)
    std::snprintf(text, sizeof text, "%g", std::abs(value));
  else
    std::snprintf(text, sizeof text, "%.*f", decimals, std::abs(value));
  return value < 0 ? std::string("\u2212") + text : text;
}

}  // namespace

std::vector<Tick> axis_ticks(double low, double high, int most) {
  ALPS_CHECK(std::isfinite(low) && std::isfinite(high) && low < high && most >= 2);
  // the smallest round step that needs no more than `most` ticks; rounding errors must not lose the ends
  const double slack = 1e-9 * (high - low);
  for (double power = std::pow(10.0, std::floor(std::log10((high - low) / most)));; power *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double step = factor * power;
      const double first = std::ceil((low - slack) / step), last = std::floor((high + slack) / step);
      if (last - first + 1 > most) continue;
      std::vector<Tick> ticks;
      for (int i = 0; i <= last - first; i++) {
        const double value = (first + i) * step;
        ticks.push_back({value, tick_label(value, step)});
      }
      return ticks;
    }
  }
}

}  // namespace alps
