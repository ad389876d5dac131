// What stands still in a frame of a visual maze: the floor, coloured by place, the walls, and the discs of teleports.
// Every ray falls from the height of the walls to the floor within less than a cell's side, so it crosses at most one
// line between columns of cells and one between rows: which wall it meets follows from three cells.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "alps/world/maze.h"
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
  struct Disc {
    Point2 center;
    const std::vector<std::array<float, 3>>* colors;
  };
  void draw_floor(Eye eye, const Rays& rays, const Shadows& shadows);
  void draw_disc(const Disc& disc, Eye eye, const Rays& rays, const Shadows& shadows, Samples& samples) const;

  std::vector<uint32_t> walls_;                                   // one bit a cell, by row
  float width_, height_;                                          // of the maze, in cells
  std::vector<float> red_, green_;                                // of the floor's texture, by row and by column
  std::vector<std::array<float, 3>> entry_colors_, exit_colors_;  // of discs, from the middle to the edge
  std::vector<Disc> discs_;
  // by pixel: how bright the headlight and the light from above make what lies flat; the tops of walls
  float head_[kFramePixels], above_[kFramePixels];
  int top_[kFramePixels];
  int floor_[kFramePixels];
};

}  // namespace alps
