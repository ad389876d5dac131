// Differential inverse kinematics of the arm: joint angles that bring its flange to a pose, found by damped Newton
// steps from the present ones, at most 45 degrees of any joint at a time:
//   q <- q + J^T (J J^T + 1e-12 I)^-1 e,   until position and rotation errors e are below 1e-4 each, 20 times at most.
// As OGBench's controller, on a model of the arm alone.
#pragma once

#include <span>

#include "alps/world/pose.h"
#include "alps/world/sim.h"

namespace alps {

class ArmIk {
 public:
  static constexpr int kJoints = 6;
  explicit ArmIk(ModelPtr bare);  // of ArmModels
  // from `joints`, for `flange` in the world's frame; the result stays valid until the next call
  std::span<const double, kJoints> solve(const Pose& flange, std::span<const double> joints);

 private:
  ModelPtr model_;
  DataPtr data_;
  int flange_;
};

}  // namespace alps
