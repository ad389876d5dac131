// Postures in which the humanoid's lessons begin: standing, in the middle of a stride, and on the way from lying on the
// back, over the belly, hands and knees and a squat, to standing, so that what comes later on that way can be learnt
// first. None of them has to be at rest.
#pragma once

#include <mujoco/mujoco.h>

#include "alps/base/rng.h"
#include "alps/world/gait.h"

namespace alps {

// body and joints of humanoid.xml
struct HumanoidParts {
  static constexpr int kTorso = 1, kHead = 2;
  static constexpr int kRightShin = 6, kRightFoot = 7, kLeftShin = 9, kLeftFoot = 10;
  static constexpr int kRoot = 7, kRootVelocity = 6;  // numbers of qpos and qvel before those of the joints
};

// all of them after mj_resetData, and with mj_forward behind them; anywhere around the vertical axis
void stand(const mjModel& model, mjData& data, Rng& rng);
// from standing: as if it had walked for a while at `speed`, metres a second
void stride(const mjModel& model, mjData& data, const Gait& gait, double phase, double speed);
// from standing: `way` 0 lies on its back, 1 stands
void half_way(const mjModel& model, mjData& data, double way, Rng& rng);

// about the vertical axis, so that the body's left-hand side is at a right angle to it
double heading_of(const mjData& data);

}  // namespace alps
