// MuJoCo behind RAII: one immutable model, shared by any number of simulations, and one mutable state each. The model
// XML of a body is read from the installed ogbench package; the maze is added with MuJoCo's model editing.
#pragma once

#include <mujoco/mujoco.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "alps/world/maze.h"

namespace alps {

using ModelPtr = std::shared_ptr<const mjModel>;

struct DataDeleter {
  void operator()(mjData* data) const { mj_deleteData(data); }
};
using DataPtr = std::unique_ptr<mjData, DataDeleter>;

// folder of the installed ogbench package: $ALPS_OGBENCH, else beside the Python package alps, else what the build knew
std::filesystem::path ogbench_folder();

// the body of locomaze/assets/BODY.xml ("point", "ant", "humanoid") inside the walls of `maze`, or those of the nine
// cells around one of them
ModelPtr load_maze_model(const std::string& body, const Maze& maze, std::optional<Cell> around = {});
// the body of online_locomotion/assets/BODY.xml ("ant", "humanoid") on an endless plane
ModelPtr load_plane_model(const std::string& body);

DataPtr make_data(const ModelPtr& model);

}  // namespace alps
