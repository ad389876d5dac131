// Names that users type: for a wrong one, the right one that they most likely meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace alps {

// ", did you mean 'pointmaze-large-v0'?" or, when nothing is near, ""
std::string nearest_hint(std::string_view typed, std::span<const std::string> names);

}  // namespace alps
