// What stands still in a frame of a visual maze: the floor, coloured by place, the walls, and discs (maze_disc.h).
// Every ray falls from the height of the walls to the floor within less than a cell's side, so it crosses at most one
// line between columns of cells and one between rows: which wall it meets follows from three cells.
#pragma once

#include <cstdint>
#include <vector>

#include "alps/world/maze.h"
#include "alps/world/maze_disc.h"
#include "alps/world/maze_light.h"
#include "alps/world/samples.h"
#include "alps/world/shadows.h"
#include "alps/world/sim.h"

namespace alps {

class MazeBackdrop {
 public:
  // `model` has the pictures of the discs
  MazeBackdrop(const Maze& maze, const mjModel& model, const Glints& glints);
  void draw(Eye eye, const Rays& rays, const Shadows& shadows, Samples& samples);

 private:
  std::vector<uint32_t> walls_;  // one bit a cell, by row
  float width_, height_;         // of the maze, in cells
  std::vector<float> ramp_;      // of the floor's texture: red by row, green by column
  std::vector<MazeDisc> discs_;
  // by pixel: how bright the headlight and the light from above make what lies flat; the tops of walls
  float head_[kFramePixels], above_[kFramePixels];
  int top_[kFramePixels];
  int floor_[kFramePixels];
};

}  // namespace alps
