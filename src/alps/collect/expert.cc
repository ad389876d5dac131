#include "alps/collect/expert.h"

#include <cmath>
#include <cstdlib>
#include <vector>

#include "alps/base/error.h"
#include "alps/base/own_folder.h"
#include "alps/nn/mlp.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

constexpr size_t kAntPosture = 27, kAntAction = 8;

Expert network_expert(const fs::path& file, size_t posture_size, size_t action_size) {
  Mlp policy = Mlp::load(read_safetensors(file), "policy");
  // the policy also tells how sure it is; an expert does what it thinks best
  if (policy.inputs() != posture_size + 2 || policy.outputs() != 2 * action_size)
    throw Error(file.string(), ": a policy of ", policy.inputs(), " inputs and ", policy.outputs(),
                " outputs; expected ", posture_size + 2, " and ", 2 * action_size);
  return [policy = std::move(policy)](std::span<const float> posture, Point2 direction, std::span<double> action) {
    thread_local std::vector<float> in, out;
    in.assign(posture.begin(), posture.end());
    in.push_back(static_cast<float>(direction.x));
    in.push_back(static_cast<float>(direction.y));
    out.resize(policy.outputs());
    policy.forward(in, out);
    for (size_t j = 0; j < action.size(); ++j) action[j] = std::tanh(out[j]);
  };
}

}  // namespace

fs::path experts_folder() {
  const char* chosen = std::getenv("ALPS_EXPERTS");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  const fs::path installed = own_folder() / "experts";  // in the Python package
  return fs::exists(installed) ? installed : fs::path(ALPS_EXPERTS_DEFAULT);
}

fs::path expert_file(std::string_view body, const fs::path& file) {
  if (body == "point") return {};
  return file.empty() ? experts_folder() / str(body, ".safetensors") : file;
}

Expert expert_for(std::string_view body, const fs::path& file) {
  if (body == "point")
    return [](std::span<const float>, Point2 direction, std::span<double> action) {
      action[0] = direction.x;
      action[1] = direction.y;
    };
  if (body == "ant") return network_expert(expert_file(body, file), kAntPosture, kAntAction);
  throw Error("there is no expert for the body '", body, "' yet; fetch data that it made with alps data get");
}

}  // namespace alps
