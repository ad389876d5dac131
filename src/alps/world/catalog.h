// The one table of environment names, and how to make each. A new environment is a file with a class of its own and a
// row here (catalog.cc).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "alps/world/env.h"

namespace alps {

struct CatalogEntry {
  std::string name;       // "antmaze-large-v0"
  std::string summary;    // "8-joint ant in the large maze"
  bool available = true;  // false: the place of an environment that is to come
  bool ogbench = true;    // OGBench has an environment of the same name
};

const std::vector<CatalogEntry>& env_catalog();
const CatalogEntry* find_env(std::string_view name);  // or nullptr
// "maze2d-LAYOUT-v0" (hallway, rooms, spiral) or, seen as images, "visual-maze2d-LAYOUT-v0"
std::unique_ptr<Env> make_maze2d(std::string_view layout, bool image, EnvOptions options = {});
std::unique_ptr<Env> make_env(std::string_view name, EnvOptions options = {});  // throws UsageError with near names

}  // namespace alps
