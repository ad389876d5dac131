// Where this code is: the folder of the program, or of the shared library (a Python extension, say), that it is linked
// into. What belongs to it is found beside it.
#pragma once

#include <filesystem>

namespace alps {

std::filesystem::path own_folder();

}  // namespace alps
