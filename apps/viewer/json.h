// Numbers and places as the page gets them: short, and never something that JSON has no word for.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

#include "alps/base/geometry.h"

namespace alps::viewer {

// Four decimals are finer than a pixel of a map; numbers below one, of data in large units, keep five digits. What is
// not finite becomes null.
inline nlohmann::ordered_json rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  const double size = std::abs(value),
               unit = size > 0 && size < 1 ? std::pow(10, 4 - std::floor(std::log10(size))) : 1e4;
  return std::isfinite(unit) ? std::round(value * unit) / unit : value;
}

inline nlohmann::ordered_json json_of(Point2 p) { return {rounded(p.x), rounded(p.y)}; }

template <class Range>
nlohmann::ordered_json rounded_all(const Range& values) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto value : values) list.push_back(rounded(value));
  return list;
}

}  // namespace alps::viewer
