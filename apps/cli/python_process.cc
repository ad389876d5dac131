#include "cli/python_process.h"

#include <cstdlib>

#include "alps/base/own_folder.h"

namespace fs = std::filesystem;

namespace alps::cli {

std::string python() {
  const char* chosen = std::getenv("ALPS_PYTHON");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  return fs::exists(ALPS_PYTHON_DEFAULT) ? ALPS_PYTHON_DEFAULT : "python3";
}

fs::path package_file(const std::string& name) {
  const fs::path installed = own_folder() / name;
  return fs::exists(installed) ? installed : fs::path(ALPS_PACKAGE_DEFAULT) / name;
}

}  // namespace alps::cli
