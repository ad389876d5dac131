// Scripted motions of an arm: to take a cube to a place, to press a button, to pull a drawer or a window. A script is a
// list of keyframes (when, where, how far shut) with jitter in their times, joined by straight lines into one row for
// each action, plus noise that neighbouring rows share:
//   plan(t) = lines(t) + noise (n * g)(t),   n ~ N(0, (0.05, 0.05, 0.05, 0.3, 1)^2),   g a Gaussian of 0.5 rows.
// The action is the way from the hand to the plan's row of now, whatever happened meanwhile. So OGBench's play data
// were made (its plan oracles); who decides what to do next is play.h.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "alps/base/rng.h"
#include "alps/world/arm_view.h"

namespace alps {

struct Keyframe {
  double time = 0;  // seconds from the script's start
  Pose pose;
  double grip = 0;  // 0 open .. 1 shut
};

using ArmAction = std::array<double, 5>;

// from the hand as it is now to some place at random above the table
std::vector<Keyframe> move_cube(const ArmView& arm, int cube, const Pose& goal, Rng& rng);
std::vector<Keyframe> press_button(const ArmView& arm, int button, Rng& rng);
std::vector<Keyframe> pull(const ArmView& arm, Slide which, double to, Rng& rng);

class ArmScript {
 public:
  ArmScript(const std::vector<Keyframe>& keyframes, double noise, Rng& rng);
  ArmAction next(const ArmView& arm);  // each number in [-1, 1]
  bool done() const { return at_ >= plan_.size(); }
  std::span<const ArmAction> plan() const { return plan_; }  // places, yaws and grips

 private:
  std::vector<ArmAction> plan_;
  size_t at_ = 0;
};

}  // namespace alps
