// A body as those see it who draw it: the scene around it, and the camera that films it (renderer.h, scene_parts.h).
// Positions of a frame are PhysicsView's.
#pragma once

#include <array>
#include <span>

#include "alps/world/sim.h"

namespace alps {

// from where the scene is filmed: MuJoCo's free camera, angles in degrees
struct SceneCamera {
  std::array<double, 3> look_at{};
  double distance = 2, azimuth = 90, elevation = -45;
  double aspect = 1;  // height of a frame / its width
};

class BodyView {
 public:
  // Body and surroundings. A geom with the name `target` marks the goal.
  virtual const ModelPtr& scene() const = 0;
  virtual SceneCamera camera() const = 0;
  virtual std::span<const double> goal_qpos() const = 0;  // the posture of the goal's observation

 protected:
  ~BodyView() = default;
};

}  // namespace alps
