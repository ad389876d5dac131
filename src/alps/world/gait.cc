#include "alps/world/gait.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "alps/base/error.h"

namespace alps {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

// of a leg's cycle that begins as its foot lands; radians, of bending
struct Wave {
  double mean;
  std::array<double, 3> cosine, sine;  // once, twice, three times a cycle
  double swing(double phase) const {
    double sum = 0;
    for (size_t k = 0; k < 3; ++k) {
      const double angle = kTurn * static_cast<double>(k + 1) * phase;
      sum += cosine[k] * std::cos(angle) + sine[k] * std::sin(angle);
    }
    return sum;
  }
};

// after tables of human gait, the hip's swing a fifth smaller
constexpr Wave kHip{0.23, {0.279, -0.050, -0.005}, {-0.021, -0.034, 0.020}};
constexpr Wave kKnee{0.436, {-0.027, -0.252, -0.004}, {-0.316, 0.095, 0.067}};
constexpr Wave kAnkle{0.060, {-0.005, -0.004, -0.025}, {0.083, -0.109, 0.022}};
constexpr double kAhead = 0.012;  // the hips' difference is greatest so much of a cycle before the foot lands
constexpr double kPull = 1.0, kMost = 0.5;

size_t joint(const mjModel& model, const std::string& name) {
  const int id = mj_name2id(&model, mjOBJ_JOINT, name.c_str());
  if (id < 1) throw Error("the body that is to walk has no joint '", name, "'");
  return static_cast<size_t>(id) - 1;
}

}  // namespace

Gait::Gait(const mjModel& model) : rest_(model.qpos0 + 7, model.qpos0 + model.nq) {
  for (size_t leg = 0; leg < 2; ++leg) {
    const std::string side = leg == 0 ? "right_" : "left_";
    legs_[leg] = {joint(model, side + "hip_y"), joint(model, side + "knee"), joint(model, side + "ankle_y")};
    leading_.insert(leading_.end(), legs_[leg].begin(), legs_[leg].end());
  }
  for (size_t j = 0; j < rest_.size(); ++j)
    if (std::ranges::find(leading_, j) == leading_.end()) resting_.push_back(j);
}

// bending is negative in all three
void Gait::angles(double phase, double amount, std::span<double> out) const {
  std::ranges::copy(rest_, out.begin());
  for (size_t leg = 0; leg < 2; ++leg) {
    const double at = phase + (leg == 0 ? 0.5 : 0.0);
    out[legs_[leg][0]] -= kHip.mean * (0.5 + 0.5 * amount) + amount * kHip.swing(at);
    out[legs_[leg][1]] -= kKnee.mean + kKnee.swing(at);
    out[legs_[leg][2]] -= kAnkle.mean + kAnkle.swing(at);
  }
}

Gait::Told Gait::told(std::span<const double> angles, std::span<const double> velocities) const {
  const size_t right = legs_[0][0], left = legs_[1][0];
  const double apart = angles[right] - angles[left];
  const double change = (velocities[right] - velocities[left]) * kPeriod / kTurn;
  const double phase = std::atan2(-change, apart) / kTurn - kAhead;
  return {phase - std::floor(phase), std::min(std::hypot(apart, change) / (2 * kHip.cosine[0]), 1.0)};
}

double Gait::next(double phase, Told told, double seconds) const {
  const double pull = std::clamp(kPull * told.clarity * std::sin(kTurn * (told.phase - phase)), -kMost, kMost);
  const double after = phase + seconds / kPeriod * (1 + pull);
  return after - std::floor(after);
}

int Gait::foot_at(double phase, size_t foot) {
  const double at = phase + (foot == 0 ? 0.5 : 0.0), own = at - std::floor(at);
  return own > 0.1 && own < 0.5 ? 1 : own > 0.62 && own < 0.92 ? -1 : 0;
}

}  // namespace alps
