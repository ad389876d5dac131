// The generalized positions and velocities of a simulated world, in double: MuJoCo's qpos and qvel, which OGBench's
// data files keep beside the observations, or what takes their place in another world.
#pragma once

#include <span>

namespace alps {

class PhysicsView {
 public:
  virtual std::span<const double> qpos() const = 0;
  virtual std::span<const double> qvel() const = 0;

 protected:
  ~PhysicsView() = default;
};

}  // namespace alps
