// Opens the library that trains (learn/library.h), which lies beside the program or the Python extension. Torch takes a
// third of a second to load, so this happens only when something is trained, or its settings are asked for.
#pragma once

#include "alps/learn/library.h"

namespace alps {

// Error if it is not there, or not of this version; the same one for the whole process
const LearnLibrary& learn_library();

// the row of a method; UsageError with the nearest name
MethodInfo method_info(const std::string& name);

}  // namespace alps
