// How a walk goes: the angles of hips, knees and ankles over a cycle of two steps, as people walk, with somewhat bent
// knees. The humanoid's teacher is led by it: its targets are counted from these angles, its episodes begin in them and
// it is rewarded for staying near. The phase is a clock that keeps time with the legs: it runs faster or slower, by up
// to a half, as the hips are ahead of it or behind, so that it can be told from what the body does.
#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <span>
#include <vector>

namespace alps {

class Gait {
 public:
  static constexpr double kPeriod = 0.75;  // seconds of a cycle
  static constexpr double kSpeed = 1.25;   // metres a second, at amount 1

  explicit Gait(const mjModel& model);

  // angles of all joints, in the joints' order; `amount` scales the stride. At phase 0 the left foot lands, at 1/2 the
  // right.
  void angles(double phase, double amount, std::span<double> out) const;
  // what angles and velocities of the joints tell of the phase, and how clearly, from 0 (standing) to 1
  struct Told {
    double phase = 0, clarity = 0;
  };
  Told told(std::span<const double> angles, std::span<const double> velocities) const;
  // the phase after `seconds`
  double next(double phase, Told told, double seconds) const;

  // 1: the foot (0 right, 1 left) is to carry, -1: is to swing, 0: either
  static int foot_at(double phase, size_t foot);

  // the joints of hips, knees and ankles that bend in the direction of walking; the others stay as they are at rest
  const std::vector<size_t>& leading() const { return leading_; }
  const std::vector<size_t>& resting() const { return resting_; }

 private:
  std::vector<double> rest_;
  std::array<std::array<size_t, 3>, 2> legs_{};  // right, left: hip, knee, ankle
  std::vector<size_t> leading_, resting_;
};

}  // namespace alps
