// What an agent of OGBench's visual mazes sees: 64 x 64 pixels from the camera `back`, which follows the body at (0,
// -2.5, 5) and looks ahead and down. Without OpenGL, and a hundred times as fast as MuJoCo's renderer without a GPU.
// Frames differ from MuJoCo's by less than a level of 255 in the mean (tests/align/test_frames.py). A frame is a
// function of qpos as data sets keep it, in float32, and has the same bytes on every processor.
#pragma once

#include <memory>
#include <span>

#include "alps/world/maze.h"
#include "alps/world/sim.h"

namespace alps {

class MazeCamera {
 public:
  static constexpr int kSide = 64;
  static constexpr size_t kBytes = size_t{kSide} * kSide * 3;

  // `model`: a body of spheres and capsules in `maze`
  MazeCamera(ModelPtr model, const Maze& maze);
  MazeCamera(const MazeCamera& other);  // the same pictures, for another thread
  ~MazeCamera();

  void see(std::span<const float> qpos, std::span<uint8_t> pixels);  // pixels: (64, 64, 3)

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace alps
