#include "alps/world/postures.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace alps {
namespace {

constexpr double kAbove = 0.01;  // metres that a standing body begins above the floor

// moves the body so that its lowest part touches the floor
void put_on_floor(const mjModel& model, mjData& data) {
  mj_kinematics(&model, &data);
  double lowest = 1e9;
  for (int g = 0; g < model.ngeom; ++g) {
    if (model.geom_bodyid[g] == 0) continue;
    const double half =
        model.geom_type[g] == mjGEOM_CAPSULE ? std::abs(data.geom_xmat[9 * g + 8]) * model.geom_size[3 * g + 1] : 0.0;
    lowest = std::min(lowest, data.geom_xpos[3 * g + 2] - half - model.geom_size[3 * g]);
  }
  data.qpos[2] -= lowest;
  mj_forward(&model, &data);
}

}  // namespace

void stand(const mjModel& model, mjData& data, Rng& rng) {
  put_on_floor(model, data);
  const double yaw = rng.uniform(-std::numbers::pi, std::numbers::pi);
  double* q = data.qpos;
  q[2] += kAbove;
  q[3] = std::cos(yaw / 2), q[4] = q[5] = 0, q[6] = std::sin(yaw / 2);
  for (int k = HumanoidParts::kRoot; k < model.nq; ++k) q[k] = model.qpos0[k] + 0.05 * rng.normal();
  for (int k = 0; k < model.nv; ++k) data.qvel[k] = 0.05 * rng.normal();
  mj_forward(&model, &data);
}

void stride(const mjModel& model, mjData& data, const Gait& gait, double phase, double speed) {
  const double heading = heading_of(data), moment = 0.01;
  const size_t joints = static_cast<size_t>(model.njnt) - 1;
  std::vector<double> angles(joints), later(joints);
  gait.angles(phase, 1, angles);
  gait.angles(phase + moment, 1, later);
  for (size_t j = 0; j < joints; ++j) {
    data.qpos[HumanoidParts::kRoot + j] += angles[j] - model.qpos0[HumanoidParts::kRoot + j];
    data.qvel[HumanoidParts::kRootVelocity + j] += (later[j] - angles[j]) / (moment * Gait::kPeriod);
  }
  data.qvel[0] += speed * std::cos(heading), data.qvel[1] += speed * std::sin(heading);
  put_on_floor(model, data);
}

double heading_of(const mjData& data) {
  const double* axes = data.xmat + 9 * HumanoidParts::kTorso;
  return std::atan2(-axes[1], axes[4]);
}

}  // namespace alps
