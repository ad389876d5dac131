// Numbers and places as the page gets them: short, and never something that JSON has no word for.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

#include "alps/base/geometry.h"

namespace alps::viewer {

// four decimals are finer than a pixel; what is not finite becomes null
inline nlohmann::ordered_json rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::round(value * 1e4) / 1e4;
}

inline nlohmann::ordered_json json_of(Point2 p) { return {rounded(p.x), rounded(p.y)}; }

template <class Range>
nlohmann::ordered_json rounded_all(const Range& values) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto value : values) list.push_back(rounded(value));
  return list;
}

}  // namespace alps::viewer
