// From so many actions on a body keeps its balance by its joints: a humanoid has 21, an ant 8, an arm 5. What such a
// body learns from is mostly noise, and it falls where others are only held up.
#pragma once

#include <cstddef>

namespace alps {

inline constexpr size_t kManyJoints = 16;

}  // namespace alps
