// Postures in which the humanoid's lessons begin on its feet: standing, and in the middle of a stride.
#pragma once

#include <mujoco/mujoco.h>

#include "alps/base/rng.h"
#include "alps/world/gait.h"

namespace alps {

// body and joints of humanoid.xml
struct HumanoidParts {
  static constexpr int kTorso = 1, kHead = 2;
  static constexpr int kRightFoot = 7, kLeftFoot = 10;
  static constexpr int kRoot = 7, kRootVelocity = 6;  // numbers of qpos and qvel before those of the joints
};

// all of them after mj_resetData, and with mj_forward behind them; anywhere around the vertical axis
void stand(const mjModel& model, mjData& data, Rng& rng);
// from standing: as if it had walked for a while at `speed`, metres a second
void stride(const mjModel& model, mjData& data, const Gait& gait, double phase, double speed);

// about the vertical axis, so that the body's left-hand side is at a right angle to it
double heading_of(const mjData& data);

}  // namespace alps
