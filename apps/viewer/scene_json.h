// The scene in three dimensions as the page gets it (page/body.js): what is seen, once, and where it is, at every step.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "alps/world/env.h"
#include "alps/world/scene_parts.h"

namespace alps::viewer {

// whether there is more to see of an environment than its map: more than one part that moves
bool has_scene(const Env& env);

// {"parts", "still": [[part, pose ...]], "meshes": corners of each, "camera"}; `env` has a scene
nlohmann::json scene_json(const Env& env);

// float32: place and normal of each corner of each mesh that is used, in order
std::string scene_meshes(const BodyView& body);

// {"poses": seven numbers for each part that moves, "buttons": whether each is on}; of the environment as it is now
nlohmann::ordered_json scene_moment(SceneParts& scene, const Env& env);
// seven numbers for each part that is worth showing where the goal has it
nlohmann::ordered_json goal_poses(SceneParts& scene, const Env& env);

}  // namespace alps::viewer
