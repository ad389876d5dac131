// Experts: policies that walk along a commanded direction, the hands of every data maker.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "alps/base/geometry.h"

namespace alps {

// (observation without x and y, unit direction) -> deterministic action; called from several threads at once
using Expert = std::function<void(std::span<const double> posture, Point2 direction, std::span<double> action)>;

// the expert of an environment; the point's action is the direction itself
Expert expert_for(std::string_view env);

}  // namespace alps
