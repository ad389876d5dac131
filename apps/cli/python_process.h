// Python, where the program hands work to it: OGBench's environments (ogbench_env.h) and reading of other layouts
// (data_import.cc). Both are scripts of the Python package, which need not be installed for them.
#pragma once

#include <filesystem>
#include <string>

namespace alps::cli {

// ALPS_PYTHON, else the one this program was built with, else python3
std::string python();

// a file of the Python package: beside this program where it is installed, else in the sources
std::filesystem::path package_file(const std::string& name);

}  // namespace alps::cli
