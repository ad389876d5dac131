// What a data set of a body in a maze holds: how much of the maze was visited, how fast, how often the ant lay on its
// back.
#pragma once

#include "alps/data/dataset.h"
#include "alps/world/maze.h"

namespace alps {

struct WalkFigures {
  size_t cells = 0, visited = 0;           // free cells, and those where a row was
  double stride = 0;                       // mean distance between two rows
  double on_back = 0, on_back_at_end = 0;  // share of rows, of episodes; for the ant
};

// observations start with x and y; `ant`: then height and quaternion
WalkFigures walk_figures(const Dataset& data, const Maze& maze, bool ant);

}  // namespace alps
