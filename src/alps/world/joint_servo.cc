#include "alps/world/joint_servo.h"

#include <algorithm>

#include "alps/base/error.h"

namespace alps {

JointServo::JointServo(const mjModel& model) : rest(model.qpos0 + 7, model.qpos0 + model.nq) {
  for (int motor = 0; motor < model.nu; ++motor)
    joints.push_back(static_cast<size_t>(model.actuator_trnid[2 * motor]) - 1);
  ALPS_CHECK(joints.size() == rest.size());
}

void JointServo::torques(std::span<const float> targets, std::span<const double> angles,
                         std::span<const double> velocities, std::span<double> out) const {
  for (size_t motor = 0; motor < joints.size(); ++motor) {
    const size_t j = joints[motor];
    const double target = rest[j] + std::clamp(static_cast<double>(targets[j]), -farthest, farthest);
    out[motor] = std::clamp(stiffness * (target - angles[j]) - damping * velocities[j], -1.0, 1.0);
  }
}

}  // namespace alps
