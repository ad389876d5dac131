// Steers a body by where its joints should be: the torque of a joint is that of a spring towards the target and of a
// damper, clipped to what the motor can do, computed once a step. Policies find walking far sooner with targets as
// actions than with torques. Angles and velocities of the joints are part of what the body observes, so a policy that
// speaks of targets is still a function from observations to torques.
#pragma once

#include <mujoco/mujoco.h>

#include <span>
#include <vector>

namespace alps {

struct JointServo {
  double stiffness = 1.0;      // torque of a radian, in units of the motor's strongest
  double damping = 0.03;       // of a radian a second
  double farthest = 2.5;       // targets are this many radians from the posture of rest at most
  std::vector<double> rest;    // posture from which targets are counted, in the joints' order
  std::vector<size_t> joints;  // the joint of each motor; motors have an order of their own

  explicit JointServo(const mjModel& model);
  size_t size() const { return joints.size(); }
  // targets, angles and velocities in the joints' order -> torques in the motors' order, within [-1, 1]
  void torques(std::span<const float> targets, std::span<const double> angles, std::span<const double> velocities,
               std::span<double> out) const;
};

}  // namespace alps
