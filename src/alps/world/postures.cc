#include "alps/world/postures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>
#include <vector>

namespace alps {
namespace {

constexpr double kAbove = 0.01;  // metres that a standing body begins above the floor

struct Posture {
  double pitch, waist, hip, knee, ankle;  // radians; the body leans forward by pitch, the others bend where negative
};
// lying, on hands and knees, crouching on hands and feet, squatting, standing
constexpr std::array kWay = {Posture{1.57, 0, 0, 0, 0.3}, Posture{1.57, 0, -1.5, -1.6, 0.5},
                             Posture{1.3, -0.5, -2.2, -2.3, -0.7}, Posture{0.78, -0.4, -2.03, -2.4, -0.75},
                             Posture{0, 0, 0, 0, 0}};
constexpr double kAstray = 0.1;  // radians, deviation from these

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

void half_way(const mjModel& model, mjData& data, double way, Rng& rng) {
  const double at = std::clamp(way, 0.0, 1.0) * (kWay.size() - 1);
  const size_t first = std::min(static_cast<size_t>(at), kWay.size() - 2);
  const double part = at - static_cast<double>(first);
  const auto between = [&](double Posture::* angle) {
    return (1 - part) * kWay[first].*angle + part * kWay[first + 1].*angle;
  };
  for (int j = 1; j < model.njnt; ++j) {
    const std::string_view name = mj_id2name(&model, mjOBJ_JOINT, j);
    double& angle = data.qpos[model.jnt_qposadr[j]];
    if (name.ends_with("hip_y")) angle += between(&Posture::hip);
    if (name.ends_with("hip_x") || name.ends_with("hip_z")) angle -= 0.2 * (1 - way);  // knees and feet apart
    if (name.ends_with("knee")) angle += between(&Posture::knee);
    if (name.ends_with("ankle_y")) angle += between(&Posture::ankle);
    if (name == "abdomen_y") angle += between(&Posture::waist);
    angle = std::clamp(angle + kAstray * rng.normal(), model.jnt_range[2 * j], model.jnt_range[2 * j + 1]);
  }
  const double lean = (between(&Posture::pitch) + kAstray * rng.normal()) / 2, c = std::cos(lean), s = std::sin(lean);
  double* q = data.qpos + 3;  // of a body that is only turned about the vertical axis
  q[1] = -q[3] * s, q[2] = q[0] * s;
  q[0] *= c, q[3] *= c;
  put_on_floor(model, data);
}

double heading_of(const mjData& data) {
  const double* axes = data.xmat + 9 * HumanoidParts::kTorso;
  return std::atan2(-axes[1], axes[4]);
}

}  // namespace alps
