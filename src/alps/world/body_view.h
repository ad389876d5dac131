// A body as those see it who draw it: its solids where they are now, and the whole scene with the camera that films it
// (renderer.h). Positions of a frame are PhysicsView's.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "alps/world/sim.h"

namespace alps {

// one solid of the agent's body
struct BodyPart {
  enum class Shape { kSphere, kCapsule, kEllipsoid, kCylinder, kBox };
  Shape shape = Shape::kSphere;
  std::array<double, 3> center{};
  std::array<double, 9> axes{};  // rows of the rotation from the solid's frame to the world's; its long axis is z
  std::array<double, 3> size{};  // radius; radius, half length; half extents
  std::array<float, 3> color{};  // sRGB, 0 .. 1
};

// those of a simulation's bodies, the world itself and marks of goals left out
std::vector<BodyPart> solids(const mjModel& model, const mjData& data);

// from where the scene is filmed: MuJoCo's free camera, angles in degrees
struct SceneCamera {
  std::array<double, 3> look_at{};
  double distance = 2, azimuth = 90, elevation = -45;
  double aspect = 1;  // height of a frame / its width
};

class BodyView {
 public:
  virtual std::vector<BodyPart> parts() const = 0;
  // Body and surroundings. A geom with the name `target` marks the goal.
  virtual const ModelPtr& scene() const = 0;
  virtual SceneCamera camera() const = 0;
  virtual std::span<const double> goal_qpos() const = 0;  // the posture of the goal's observation

 protected:
  ~BodyView() = default;
};

}  // namespace alps
