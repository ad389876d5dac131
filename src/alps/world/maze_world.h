// What it takes to follow the oracle of a maze: a plane, cells under it, and places that can be chosen. Data makers and
// expert training ask an environment for all of it at once.
#pragma once

#include "alps/base/error.h"
#include "alps/world/maze.h"
#include "alps/world/planar_view.h"

namespace alps {

struct MazeWorld {
  const PlanarView& plane;
  PlacementView& placement;
  const Maze& maze;
};

// throws Error that names what `env` lacks for `purpose`
inline MazeWorld maze_world(Env& env, std::string_view purpose) {
  const auto lacks = [&](const char* what) {
    throw Error(purpose, " need ", what, ", and ", env.spec().name, " has none; choose an environment with a maze");
  };
  if (env.planar() == nullptr) lacks("a plane with places");
  if (env.planar()->maze() == nullptr) lacks("a maze of cells");
  if (env.placement() == nullptr) lacks("starts and goals that can be chosen");
  return {*env.planar(), *env.placement(), *env.planar()->maze()};
}

}  // namespace alps
