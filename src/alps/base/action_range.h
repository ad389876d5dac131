// Where the actions of a data set lie, column by column: within middle +- limit. Networks and the search work in units
// of it, where -1 and 1 are the edges of what the data hold, whether actions are forces to both sides (middle 0) or
// thrusts that are never negative. Measured by `action_range` (data/survey.h), kept as actions.limit and actions.middle
// in model.safetensors.
#pragma once

#include <algorithm>
#include <vector>

namespace alps {

struct ActionRange {
  std::vector<float> limit;   // of each number of an action, above 0
  std::vector<float> middle;  // empty: 0 for all

  size_t size() const { return limit.size(); }
  float middle_of(size_t k) const { return middle.empty() ? 0.0f : middle[k]; }
  float to_unit(size_t k, float action) const { return (action - middle_of(k)) / limit[k]; }
  float from_unit(size_t k, float unit) const { return middle_of(k) + limit[k] * unit; }
  float clamped(size_t k, float unit) const { return from_unit(k, std::clamp(unit, -1.0f, 1.0f)); }
  float low(size_t k) const { return from_unit(k, -1); }
  float high(size_t k) const { return from_unit(k, 1); }
};

}  // namespace alps
