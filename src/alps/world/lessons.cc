#include "alps/world/lessons.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "alps/world/postures.h"

namespace alps {
namespace {

constexpr std::array kFeet = {HumanoidParts::kRightFoot, HumanoidParts::kLeftFoot};
constexpr double kStandingHead = 1.4, kMoment = 0.2;  // metres above the feet; seconds
constexpr double kFarBelow = 20;                      // `below` of a body that lies badly
constexpr double kSlowest = 0.5, kFastestTurn = 1.5;  // share of the speed while it turns round; radians a second

// a distance, smooth at 0
double rounded(double distance) { return std::sqrt(distance * distance + 0.01) - 0.1; }

double share(double value, double low, double high) { return std::clamp((value - low) / (high - low), 0.0, 1.0); }

// share of the feet that carry or swing as they should
double feet_in_time(const mjModel& model, const mjData& data, double phase) {
  std::array<bool, 2> touches{};
  for (int contact = 0; contact < data.ncon; ++contact)
    for (const int geom : data.contact[contact].geom)
      for (size_t foot = 0; foot < 2; ++foot) touches[foot] |= geom >= 0 && model.geom_bodyid[geom] == kFeet[foot];
  double share = 0;
  for (size_t foot = 0; foot < 2; ++foot) {
    const int wanted = Gait::foot_at(phase, foot);
    share += wanted == 0 || (wanted > 0) == touches[foot] ? 0.5 : 0.0;
  }
  return share;
}

}  // namespace

double standing(const mjData& data) {
  return share(data.xmat[9 * HumanoidParts::kTorso + 8], 0.5, 0.9) *
         share(data.xpos[3 * HumanoidParts::kHead + 2], 1.0, 1.35);
}

double progress(const mjData& data, Point2 direction) {
  return data.sensordata[0] * direction.x + data.sensordata[1] * direction.y;
}

double heading_error(double heading, Point2 direction) {
  const double c = std::cos(heading), s = std::sin(heading);
  return std::atan2(c * direction.y - s * direction.x, c * direction.x + s * direction.y);
}

double stride_amount(double heading, Point2 direction) {
  return std::clamp(std::cos(heading_error(heading, direction)), kSlowest, 1.0);
}

double walked(const mjModel& model, const mjData& data, const Gait& gait, const WalkCommand& command) {
  // how it moves
  const double heading = heading_of(data), off = heading_error(heading, command.direction);
  const double speed = command.speed * stride_amount(heading, command.direction);
  const double c = std::cos(heading), s = std::sin(heading);
  const double ahead = c * data.sensordata[0] + s * data.sensordata[1];
  const double aside = c * data.sensordata[1] - s * data.sensordata[0];
  const double velocity = std::exp(-((ahead - speed) * (ahead - speed) + aside * aside) / 0.3);
  const double turning = data.qvel[5] - std::clamp(2 * off, -kFastestTurn, kFastestTurn);

  // how it looks
  const double* joints = data.qpos + HumanoidParts::kRoot;
  std::vector<double> angles(static_cast<size_t>(model.nq) - HumanoidParts::kRoot);
  gait.angles(command.phase, std::min(speed / Gait::kSpeed, 1.0), angles);
  const auto astray = [&](const std::vector<size_t>& list) {
    double sum = 0;
    for (const size_t j : list) sum += (joints[j] - angles[j]) * (joints[j] - angles[j]);
    return sum;
  };
  return standing(data) *
         (0.3 * std::exp(-2 * astray(gait.leading())) + 0.1 * std::exp(-astray(gait.resting())) + 0.3 * velocity +
          0.3 * std::clamp(progress(data, command.direction) / command.speed, -1.0, 1.0) +
          0.15 * std::exp(-turning * turning / 2) + 0.05 * (1 + std::cos(off)) +
          0.1 * feet_in_time(model, data, command.phase));
}

double below(const mjModel& model, const mjData& data) {
  const double* right = data.xpos + 3 * kFeet[0];
  const double* left = data.xpos + 3 * kFeet[1];
  const double* centre = data.subtree_com + 3 * HumanoidParts::kTorso;
  const double* velocity = data.sensordata;  // of the centre of mass
  const double head = data.xpos[3 * HumanoidParts::kHead + 2] - (right[2] + left[2]) / 2;
  double off[2], moving = 0, swinging = 0;
  for (int axis = 0; axis < 2; ++axis)
    off[axis] = centre[axis] + kMoment * velocity[axis] - (right[axis] + left[axis]) / 2;
  for (int axis = 0; axis < 3; ++axis) moving += velocity[axis] * velocity[axis];
  for (int j = HumanoidParts::kRootVelocity; j < model.nv; ++j) swinging += data.qvel[j] * data.qvel[j];
  return 10 * rounded(std::max(kStandingHead - head, 0.0)) + 5 * rounded(std::hypot(off[0], off[1])) +
         (1 - data.xmat[9 * HumanoidParts::kTorso + 8]) + 0.3 * moving + 0.001 * swinging;
}

double risen(const mjModel& model, const mjData& data) { return std::max(1 - below(model, data) / kFarBelow, 0.0); }

}  // namespace alps
