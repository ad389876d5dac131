#include "alps/draw/axis.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "alps/base/error.h"

namespace alps {

namespace {

// "10⁻³"; between 0.01 and 10,000 plain numbers read better
std::string power_label(int exponent) {
  static const char* const kRaised[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                        "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  if (exponent >= -2 && exponent <= 0) return str(std::pow(10.0, exponent));
  if (exponent > 0 && exponent <= 4) return "1" + std::string(exponent, '0');
  std::string label = exponent < 0 ? "10\u207b" : "10";
  for (const char digit : std::to_string(std::abs(exponent))) label += kRaised[digit - '0'];
  return label;
}

// many zeros are hard to count: 200k, 1.5M
std::vector<Tick> shortened(std::vector<Tick> ticks) {
  double largest = 0;
  for (const Tick& tick : ticks) largest = std::max(largest, std::abs(tick.value));
  if (largest < 1e4 || largest >= 1e12) return ticks;
  const double unit = largest >= 1e9 ? 1e9 : largest >= 1e6 ? 1e6 : 1e3;
  for (Tick& tick : ticks) {
    const std::string number = str(std::abs(tick.value) / unit);
    if (tick.value == 0)
      tick.label = "0";
    else
      tick.label = (tick.value < 0 ? "\u2212" : "") + number + (unit == 1e9 ? "G" : unit == 1e6 ? "M" : "k");
  }
  return ticks;
}

std::vector<Tick> log_ticks(double low, double high, int most) {
  constexpr double kSlack = 1e-9;
  const int first = static_cast<int>(std::floor(std::log10(low) + kSlack));
  const int last = static_cast<int>(std::floor(std::log10(high) + kSlack));
  const int powers = last - static_cast<int>(std::ceil(std::log10(low) - kSlack)) + 1;
  // less than two powers of ten inside: round numbers say more
  if (powers < 2) return shortened(axis_ticks(low, high, most));
  const int stride = (powers + most - 1) / most;
  std::vector<Tick> ticks;
  for (int power = first; power <= last; power++)
    for (int digit = 1; digit < 10; digit++) {
      const double value = digit * std::pow(10.0, power);
      if (value < low * (1 - kSlack) || value > high * (1 + kSlack)) continue;
      const bool named = digit == 1 && (last - power) % stride == 0;
      if (named || powers <= most) ticks.push_back({value, named ? power_label(power) : ""});
    }
  return ticks;
}

}  // namespace

double Axis::share(double v) const {
  if (!logarithmic) return (v - low) / (high - low);
  return v > 0 ? std::log(v / low) / std::log(high / low) : std::numeric_limits<double>::quiet_NaN();
}

double Axis::value(double t) const { return logarithmic ? low * std::pow(high / low, t) : low + t * (high - low); }

std::vector<Tick> Axis::ticks(int most) const {
  ALPS_CHECK(low < high && (!logarithmic || low > 0));
  most = std::max(most, 2);
  return logarithmic ? log_ticks(low, high, most) : shortened(axis_ticks(low, high, most));
}

void AxisRange::add(double value) {
  if (!std::isfinite(value) || (logarithmic_ && value <= 0)) return;
  low_ = std::min(low_, value);
  high_ = std::max(high_, value);
}

Axis AxisRange::axis(double air) const {
  if (empty()) return {logarithmic_ ? 0.1 : 0.0, 1, logarithmic_};
  if (logarithmic_) {
    const double ratio = high_ / low_, wide = ratio > 1.001 ? std::pow(ratio, air) : 2;
    return {low_ / wide, high_ * wide, true};
  }
  // a constant gets an interval around it, wide enough that its ticks differ
  const double size = high_ - low_, least = 1e-6 * std::max(std::abs(low_), std::abs(high_));
  const double wide = size > least ? air * size : std::max(0.5 * std::abs(low_), high_ == 0 ? 1 : 0.0);
  return {low_ - wide, high_ + wide, false};
}

}  // namespace alps
