#include "alps/world/postures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <span>
#include <string_view>
#include <vector>

namespace alps {
namespace {

constexpr double kAbove = 0.01;  // metres that a standing body begins above the floor

struct Leg {
  double hip, knee, ankle;  // radians, bent where negative
};
struct Posture {
  double roll, pitch, waist;  // the body leans forward by pitch and is rolled about its long axis
  Leg right, left;
};
constexpr Leg kStraight{}, kStretched{0, 0, 0.3}, kCurled{-1.9, -2.6, -0.3}, kCrouching{-2.2, -2.3, -0.7},
    kSquatting{-2.03, -2.4, -0.75}, kOnHeel{-2, -2.5, -0.5}, kKneeling{-0.1, -1.5, -0.5}, kFoot{-1.6, -1.4, 0},
    kRising{-0.9, -0.8, 0}, kFollowing{0, -0.7, -0.3};
constexpr Posture kOnBack{3.14, 1.6, -1, kCurled, kCurled}, kOnKnees{0, 1.6, -1, kCurled, kCurled},
    kOnBelly{0, 1.57, 0, kStretched, kStretched}, kOnHeels{0, 0.9, -0.3, kOnHeel, kOnHeel},
    kUpright{0, 0.1, 0, kKneeling, kKneeling}, kOnOneKnee{0, 0.2, 0, kFoot, kKneeling},
    kAlmost{0, 0.3, 0, kRising, kFollowing}, kStanding{0, 0, 0, kStraight, kStraight};
// from curled up on the back, rolled over onto the knees, over hands and feet and a squat
constexpr std::array kSpring = {kOnBack, kOnKnees, Posture{0, 1.3, -0.5, kCrouching, kCrouching},
                                Posture{0, 0.78, -0.4, kSquatting, kSquatting}, kStanding};
// or over the heels, the knees, and one of them
constexpr std::array kKneel = {kOnBack, kOnKnees, kOnHeels, kUpright, kOnOneKnee, kAlmost, kStanding};
// the same from lying on the belly
constexpr std::array kDraw = {kOnBelly, kOnKnees, kOnHeels, kUpright, kOnOneKnee, kAlmost, kStanding};
constexpr std::array<std::span<const Posture>, 3> kWays = {kSpring, kKneel, kDraw};
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
  const std::span<const Posture> ways = rng.pick<std::span<const Posture>>(kWays);
  const double at = std::clamp(way, 0.0, 1.0) * static_cast<double>(ways.size() - 1);
  const size_t first = std::min(static_cast<size_t>(at), ways.size() - 2);
  const double part = at - static_cast<double>(first);
  const auto between = [&](const auto& angle) {
    return (1 - part) * std::invoke(angle, ways[first]) + part * std::invoke(angle, ways[first + 1]);
  };
  const bool exchanged = rng.uniform() < 0.5;
  for (int j = 1; j < model.njnt; ++j) {
    const std::string_view name = mj_id2name(&model, mjOBJ_JOINT, j);
    double& angle = data.qpos[model.jnt_qposadr[j]];
    const auto leg = name.starts_with("left") != exchanged ? &Posture::left : &Posture::right;
    const auto bent = [&](double Leg::*part_of) {
      return between([&](const Posture& p) { return (p.*leg).*part_of; });
    };
    if (name.ends_with("hip_y")) angle += bent(&Leg::hip);
    if (name.ends_with("hip_x") || name.ends_with("hip_z")) angle -= 0.2 * (1 - way);  // knees and feet apart
    if (name.ends_with("knee")) angle += bent(&Leg::knee);
    if (name.ends_with("ankle_y")) angle += bent(&Leg::ankle);
    if (name == "abdomen_y") angle += between(&Posture::waist);
    angle = std::clamp(angle + kAstray * rng.normal(), model.jnt_range[2 * j], model.jnt_range[2 * j + 1]);
  }
  const double lean = between(&Posture::pitch) + kAstray * rng.normal();
  const double roll = (rng.uniform() < 0.5 ? 1 : -1) * between(&Posture::roll);
  const double pitched[4] = {std::cos(lean / 2), 0, std::sin(lean / 2), 0};
  const double rolled[4] = {std::cos(roll / 2), 0, 0, std::sin(roll / 2)};
  double upright[4], leaning[4];
  mju_copy4(upright, data.qpos + 3);
  mju_mulQuat(leaning, upright, pitched);
  mju_mulQuat(data.qpos + 3, leaning, rolled);
  put_on_floor(model, data);
}

double heading_of(const mjData& data) {
  const double* axes = data.xmat + 9 * HumanoidParts::kTorso;
  return std::atan2(-axes[1], axes[4]);
}

}  // namespace alps
