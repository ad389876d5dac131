// Pictures of a body in its maze by MuJoCo, without a window. The camera is OGBench's: straight above the middle of the
// maze, as far away as it takes to see all free cells; the red disc is the goal. Frames depend on positions alone, so
// that they can be rendered long after an episode.
#pragma once

#include <memory>
#include <span>

#include "alps/base/frame.h"
#include "alps/world/maze_env.h"

namespace alps {

class Renderer {
 public:
  // Frames of `width` pixels, as high as the maze's shape asks for. Throws Error where there is no OpenGL.
  Renderer(const MazeEnv& env, int width);
  ~Renderer();

  Frame render(std::span<const double> qpos, Point2 goal);
  int width() const;
  int height() const;
  std::string backend() const;  // "egl", "osmesa"

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace alps
