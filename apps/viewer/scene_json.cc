#include "viewer/scene_json.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "alps/world/arm_view.h"
#include "alps/world/physics_view.h"
#include "viewer/json.h"

namespace alps::viewer {
namespace {

std::string hex(const std::array<float, 4>& color) {
  char text[8];
  const auto byte = [](float c) { return static_cast<int>(std::lround(255 * std::clamp(c, 0.0f, 1.0f))); };
  std::snprintf(text, sizeof text, "#%02x%02x%02x", byte(color[0]), byte(color[1]), byte(color[2]));
  return text;
}

// corners of the meshes that parts use; of the others none
std::vector<SceneMesh> meshes_of(const SceneParts& scene) {
  std::vector<SceneMesh> meshes(scene.meshes());
  for (const ScenePart& part : scene.parts())
    if (part.mesh && meshes[*part.mesh].positions.empty()) meshes[*part.mesh] = scene.mesh(*part.mesh);
  return meshes;
}

// those of some parts, one after the other
nlohmann::ordered_json chosen(const SceneParts& scene, const std::vector<double>& poses, auto&& wanted) {
  nlohmann::ordered_json flat = nlohmann::ordered_json::array();
  for (size_t i = 0; i < scene.parts().size(); ++i)
    if (wanted(scene.parts()[i]))
      for (int k = 0; k < 7; ++k) flat.push_back(rounded(poses[7 * i + k]));
  return flat;
}

// in a world with a plane the eye goes along with the agent, as far away as it is large; otherwise it stays where films
// are made from
nlohmann::json camera_json(const Env& env, const SceneParts& scene, const std::vector<double>& poses) {
  const SceneCamera camera = env.body()->camera();
  constexpr double kDegree = std::numbers::pi / 180;
  if (env.planar() == nullptr)
    return {{"follows", false},
            {"look_at", camera.look_at},
            {"distance", camera.distance},
            {"azimuth", (camera.azimuth + 180) * kDegree},
            {"elevation", -camera.elevation * kDegree}};
  double size = 0;
  const double* first = nullptr;
  for (size_t i = 0; i < scene.parts().size(); ++i) {
    if (scene.parts()[i].still) continue;
    const double* at = &poses[7 * i];
    if (first == nullptr) first = at;
    size = std::max(size, std::hypot(at[0] - first[0], at[1] - first[1], at[2] - first[2]) + scene.parts()[i].size[0]);
  }
  return {{"follows", true}, {"distance", 3.4 * size}, {"azimuth", -2.4}, {"elevation", 0.65}};
}

}  // namespace

bool has_scene(const Env& env) {
  if (env.body() == nullptr || env.physics() == nullptr) return false;
  const SceneParts scene(*env.body());
  return std::ranges::count(scene.parts(), false, &ScenePart::still) > 1;
}

nlohmann::json scene_json(const Env& env) {
  SceneParts scene(*env.body());
  const std::vector<double> poses = scene.poses(env.physics()->qpos());
  nlohmann::json parts = nlohmann::json::array(), still = nlohmann::json::array(), meshes = nlohmann::json::array();
  for (size_t i = 0; i < scene.parts().size(); ++i) {
    const ScenePart& part = scene.parts()[i];
    parts.push_back({{"shape", part.shape},
                     {"size", rounded_all(part.size)},
                     {"color", hex(part.color)},
                     {"opacity", rounded(part.color[3])},
                     {"goal", part.goal}});
    if (part.mesh) parts.back()["mesh"] = *part.mesh;
    if (part.button) parts.back()["button"] = *part.button;
    if (!part.still) continue;
    std::vector<double> pose = {double(i)};
    pose.insert(pose.end(), &poses[7 * i], &poses[7 * i] + 7);
    still.push_back(pose);
  }
  for (const SceneMesh& mesh : meshes_of(scene)) meshes.push_back(mesh.positions.size() / 3);
  return {{"parts", parts}, {"still", still}, {"meshes", meshes}, {"camera", camera_json(env, scene, poses)}};
}

std::string scene_meshes(const BodyView& body) {
  std::string bytes;
  for (const SceneMesh& mesh : meshes_of(SceneParts(body)))
    for (size_t corner = 0; corner < mesh.positions.size(); corner += 3)
      for (const std::vector<float>* of : {&mesh.positions, &mesh.normals})
        bytes.append(reinterpret_cast<const char*>(of->data() + corner), 3 * sizeof(float));
  return bytes;
}

nlohmann::ordered_json scene_moment(SceneParts& scene, const Env& env) {
  const auto moves = [](const ScenePart& part) { return !part.still; };
  nlohmann::ordered_json buttons = nlohmann::ordered_json::array();
  if (env.arm() != nullptr)
    for (const int state : env.arm()->button_states()) buttons.push_back(state != 0);
  return {{"poses", chosen(scene, scene.poses(env.physics()->qpos()), moves)}, {"buttons", buttons}};
}

nlohmann::ordered_json goal_poses(SceneParts& scene, const Env& env) {
  return chosen(scene, scene.poses(env.body()->goal_qpos()), [](const ScenePart& part) { return part.goal; });
}

}  // namespace alps::viewer
