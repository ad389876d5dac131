// Which MuJoCo runs: the library is found at run time, so it may be another than the headers we were built with.
#pragma once

#include <string>

namespace alps {

// throws when the library that was loaded is not the one the headers belong to
void check_mujoco_version();
std::string mujoco_version();  // "4.0.0"

}  // namespace alps
