// What the humanoid's teacher is paid for, a step:
//   walked  up (0.3 pose + 0.1 rest + 0.3 velocity + 0.3 progress + 0.15 turn + 0.05 (1 + cos(error)) + 0.1 feet)
//           near the angles of the gait; at the commanded speed along its own heading, more slowly where that is not
//           the direction, while it turns towards it; getting on along the direction; with the feet on the ground that
//           should be
//   risen   1 - below / 20, at least 0
//           below = 10 low + 5 off + lean + 0.3 |v|^2 + 0.001 |joint velocities|^2
//           `low` is what the head's height over the feet lacks of standing, `off` how far the centre of mass, a moment
//           ahead, is from being above them; a planner finds the way up with it (get_ups.h). The head's height over the
//           floor shows a body to arch its back.
// where `up` grows from 0 to 1 as head and torso rise to standing.
#pragma once

#include <mujoco/mujoco.h>

#include "alps/base/geometry.h"
#include "alps/world/gait.h"

namespace alps {

struct WalkCommand {
  double speed = 0;  // metres a second
  Point2 direction;
  double phase = 0;  // of the gait
};

double walked(const mjModel& model, const mjData& data, const Gait& gait, const WalkCommand& command);
double below(const mjModel& model, const mjData& data);
double risen(const mjModel& model, const mjData& data);

double standing(const mjData& data);                     // `up`
double progress(const mjData& data, Point2 direction);   // metres a second of the centre of mass along the direction
double heading_error(double heading, Point2 direction);  // from the heading to the direction, radians
double stride_amount(double heading, Point2 direction);  // share of the commanded speed, less while it turns round

}  // namespace alps
