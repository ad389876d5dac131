#include "alps/collect/arm_script.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "alps/base/error.h"

namespace alps {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kStep = 0.05;    // seconds of an action
constexpr double kSegment = 0.4;  // seconds between two keyframes, in multiples of which they are set
constexpr ArmAction kReach{0.05, 0.05, 0.05, 0.3, 1};  // of an action
constexpr double kSmoothing = 0.5;                     // deviation, in rows

Pose upright(const Vec3& place, double yaw) { return {rotation_z(yaw), place}; }

Pose above(const Pose& pose, double height) { return {pose.rotation, sum(pose.position, {0, 0, height})}; }

double yaw_in_circle(const Pose& pose) {
  const double yaw = yaw_of(pose.rotation);
  return yaw < 0 ? yaw + 2 * kPi : yaw;
}

// an object that looks the same after 1/n of a turn, seen as the hand has to turn least
Pose grasp(const Pose& hand, const Pose& object, const Vec3& place, int n) {
  const double from = yaw_in_circle(hand), to = yaw_in_circle(object);
  double best = to;
  for (int i = -n; i <= n; ++i) {
    const double yaw = i * 2 * kPi / n + to;
    if (i == -n || std::abs(from - yaw) < std::abs(from - best)) best = yaw;
  }
  return upright(place, best);
}

// half the way of the screw motion between two upright poses: on a circle's arc in the plane
Pose midway(const Pose& a, const Pose& b) {
  const Quat half = between(a.rotation, b.rotation, 0.5);
  const Vec3 way = difference(b.position, a.position);
  const double quarter = 0.5 * logarithm(multiply(inverse(a.rotation), half))[2], part = 0.5 / std::cos(quarter);
  const double c = part * std::cos(quarter), s = part * std::sin(quarter);
  return {half, sum(a.position, {c * way[0] + s * way[1], c * way[1] - s * way[0], 0.5 * way[2]})};
}

Pose hand_now(const ArmView& arm) { return upright(arm.hand().position, yaw_of(arm.hand().rotation)); }

Pose hand_at_last(const ArmView& arm, Rng& rng) {
  const auto& [low, high] = std::pair(arm.world().arm_low, arm.world().arm_high);
  Vec3 place;
  for (int k = 0; k < 3; ++k) place[k] = rng.uniform(low[k], high[k]);
  return upright(place, rng.uniform(-kPi, kPi));
}

// every time but the first moves by up to `part` of a segment
void jitter(std::vector<Keyframe>& keyframes, double part, Rng& rng) {
  for (size_t i = 1; i < keyframes.size(); ++i) keyframes[i].time += rng.uniform(-1, 1) * kSegment * part;
}

// keyframes from durations in segments
class Timeline {
 public:
  void add(double segments, const Pose& pose, double grip) {
    now_ += segments * kSegment;
    keyframes.push_back({now_, pose, grip});
  }
  std::vector<Keyframe> keyframes;

 private:
  double now_ = 0;
};

ArmAction at(const std::vector<Keyframe>& keyframes, double time) {
  size_t next = 1;
  while (next + 1 < keyframes.size() && keyframes[next].time <= time) ++next;
  const Keyframe &a = keyframes[next - 1], &b = keyframes[next];
  const double part = std::clamp((time - a.time) / (b.time - a.time), 0.0, 1.0);
  ArmAction row{};
  for (int k = 0; k < 3; ++k) row[k] = a.pose.position[k] + part * (b.pose.position[k] - a.pose.position[k]);
  row[3] = yaw_of(between(a.pose.rotation, b.pose.rotation, part));
  row[4] = a.grip + part * (b.grip - a.grip);
  return row;
}

// noise of `count` rows, smoothed over neighbours; the ends are mirrored
std::vector<ArmAction> smooth_noise(size_t count, double noise, Rng& rng) {
  constexpr int kWidth = 2;  // four deviations
  std::vector<ArmAction> raw(count), smooth(count, ArmAction{});
  for (ArmAction& row : raw)
    for (size_t k = 0; k < row.size(); ++k) row[k] = noise * kReach[k] * rng.normal();
  double total = 0;
  std::array<double, 2 * kWidth + 1> weights;
  for (int d = -kWidth; d <= kWidth; ++d)
    total += weights[d + kWidth] = std::exp(-0.5 * d * d / (kSmoothing * kSmoothing));
  const int n = static_cast<int>(count);
  for (int i = 0; i < n; ++i) {
    for (int d = -kWidth; d <= kWidth; ++d) {
      int j = i + d;
      while (j < 0 || j >= n) j = j < 0 ? -1 - j : 2 * n - 1 - j;
      for (size_t k = 0; k < raw[j].size(); ++k) smooth[i][k] += weights[d + kWidth] / total * raw[j][k];
    }
  }
  return smooth;
}

}  // namespace

ArmScript::ArmScript(const std::vector<Keyframe>& keyframes, double noise, Rng& rng) {
  ALPS_CHECK(keyframes.size() > 1);
  for (double time = 0; time < keyframes.back().time; time += kStep) plan_.push_back(at(keyframes, time));
  const std::vector<ArmAction> shake = smooth_noise(plan_.size(), noise, rng);
  for (size_t i = 0; i < plan_.size(); ++i)
    for (size_t k = 0; k < plan_[i].size(); ++k) plan_[i][k] += shake[i][k];
}

std::vector<Keyframe> move_cube(const ArmView& arm, int cube, const Pose& goal, Rng& rng) {
  const Pose last = hand_at_last(arm, rng), hand = hand_now(arm), lies = arm.cube(cube);
  const Pose pick = grasp(hand, lies, lies.position, 4), over = above(pick, rng.uniform(0.1, 0.2));
  const Pose place = grasp(over, goal, goal.position, 4), over_place = above(place, rng.uniform(0.1, 0.2));
  Pose clear = midway(over, over_place);
  clear.position[2] = hand.position[2];
  for (int k = 0; k < 3; ++k) clear.position[k] += k < 2 ? rng.uniform(-0.1, 0.1) : rng.uniform(0, 0.2);

  Timeline line;
  line.add(0, hand, 0);
  line.add(1, over, 0);
  line.add(1.5, pick, 0);
  line.add(1, pick, 1);
  line.add(1, over, 1);
  line.add(1, clear, 1);
  line.add(1, over_place, 1);
  line.add(1.5, place, 1);
  line.add(1, place, 0);
  line.add(1, over_place, 0);
  line.add(1, last, 0);
  jitter(line.keyframes, 0.2, rng);
  return line.keyframes;
}

std::vector<Keyframe> press_button(const ArmView& arm, int button, Rng& rng) {
  const Pose last = hand_at_last(arm, rng), hand = hand_now(arm);
  const Vec3 top = arm.button_top(button);
  const Pose touched = upright(top, top[0]);  // OGBench turns the hand by the button's x
  const Pose over = above(touched, 0.06), down = above(touched, -0.025);
  const double way = length(difference(hand.position, over.position));
  // in a grid of buttons the hand stays shut; elsewhere it shuts on its way to the button
  const double open = arm.world().button_rows > 0 ? 1 : 0;

  Timeline line;
  line.add(0, hand, open);
  line.add(0.5 + 4 * way, over, 1);
  line.add(0.8, down, 1);
  line.add(0.8, over, 1);
  line.add(1.25, last, open);
  jitter(line.keyframes, 0.1, rng);
  return line.keyframes;
}

std::vector<Keyframe> pull(const ArmView& arm, Slide which, double to, Rng& rng) {
  const Pose last = hand_at_last(arm, rng), hand = hand_now(arm), handle = arm.handle(which);
  const double height = which == Slide::kDrawer ? 0.12 : 0.06;
  const Pose from = grasp(hand, handle, handle.position, 2), goal = grasp(hand, handle, arm.handle_at(which, to), 2);

  Timeline line;
  line.add(0, hand, 0);
  line.add(1, above(from, height), 0);
  line.add(0.5, from, 0);
  line.add(0.5, from, 1);
  line.add(0.5, goal, 1);
  line.add(0.5, goal, 0);
  line.add(0.5, above(goal, height), 0);
  line.add(1, last, 0);
  jitter(line.keyframes, 0.1, rng);
  return line.keyframes;
}

ArmAction ArmScript::next(const ArmView& arm) {
  const ArmAction& row = plan_[std::min(at_++, plan_.size() - 1)];
  const Pose hand = arm.hand();
  ArmAction action{};
  for (int k = 0; k < 3; ++k) action[k] = row[k] - hand.position[k];
  action[3] = row[3] - yaw_of(hand.rotation);
  action[4] = row[4] - arm.gripper_opening();
  for (size_t k = 0; k < action.size(); ++k) action[k] = std::clamp(action[k] / kReach[k], -1.0, 1.0);
  return action;
}

}  // namespace alps
