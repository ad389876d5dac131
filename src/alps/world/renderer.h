// Pictures of a body in its scene by MuJoCo, without a window, from the camera that the BodyView names. In the mazes
// that is OGBench's, straight above, and the red disc is the goal. Frames depend on positions alone, so that they can
// be rendered long after an episode.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "alps/base/frame.h"
#include "alps/base/geometry.h"
#include "alps/world/body_view.h"

namespace alps {

class Renderer {
 public:
  // Frames of `width` pixels, as high as the camera's aspect asks for. Throws Error where there is no OpenGL.
  Renderer(const BodyView& body, int width);
  ~Renderer();

  void aim(const SceneCamera& camera);  // from another place; the size of the frames stays
  // `goal`: where the scene's mark of the goal stands, in a scene that has one
  Frame render(std::span<const double> qpos, std::optional<Point2> goal);
  int width() const;
  int height() const;
  std::string backend() const;  // "egl", "osmesa"

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace alps
