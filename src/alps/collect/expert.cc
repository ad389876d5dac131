#include "alps/collect/expert.h"

#include <cstdlib>

#include "alps/base/error.h"
#include "alps/base/own_folder.h"
#include "alps/collect/expert_body.h"

namespace fs = std::filesystem;

namespace alps {
fs::path experts_folder() {
  const char* chosen = std::getenv("ALPS_EXPERTS");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  const fs::path installed = own_folder() / "experts";  // in the Python package
  return fs::exists(installed) ? installed : fs::path(ALPS_EXPERTS_DEFAULT);
}

fs::path expert_file(std::string_view body, const fs::path& file) {
  if (body.empty() || body == "point") return {};
  return file.empty() ? experts_folder() / str(body, ".safetensors") : file;
}

std::string missing_for(const Recipe& recipe) {
  const fs::path file = expert_file(recipe.expert);
  return file.empty() || fs::exists(file) ? "" : str("the ", recipe.expert, " expert's weights");
}

Expert expert_for(std::string_view body, const fs::path& file) {
  if (body.empty()) return {};
  if (body == "point")
    return [](std::span<const float>, Point2 direction, std::span<double> action) {
      action[0] = direction.x;
      action[1] = direction.y;
    };
  return expert_body(body).load(expert_file(body, file));
}

}  // namespace alps
