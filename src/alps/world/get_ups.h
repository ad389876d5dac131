// The way from a drop to standing, in two parts. First the servo holds one posture until the body lies still, on its
// belly or on its back, always in nearly the same state. From there a planner finds a way up in the simulation
// itself: model predictive control by sampling. At every step it tries courses of joint targets that are linear between
// a few knots, on a copy of the body, and does the first of the best one; the next step goes on from the mean of the
// best few:
//   J(course) = sum_t cost_t + kLast cost_last,   cost = below(data) + kEffort |torques|^2
// with `below` (lessons.h): how far it is from standing. What it found leads a teacher that learns to stay near it.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "alps/base/rng.h"
#include "alps/base/safetensors.h"
#include "alps/world/joint_servo.h"
#include "alps/world/sim.h"

namespace alps {

struct GetUpParams {
  int horizon = 30;        // steps ahead
  size_t knots = 5;        // of a course, linear between them
  size_t courses = 64;     // tried at a step
  size_t elites = 6;       // whose mean the next step begins with
  double deviation = 0.6;  // radians, of a course from the one begun with; a quarter of them less, a quarter more
  double noise = 0.05;     // on the torques while it gets up
  int patience = 130;      // steps of a way, at most
  int content = 40;        // steps in a row on its feet after which it is done
};

// states and targets of all steps
struct GetUp {
  std::vector<double> states;  // (steps, qpos and qvel)
  std::vector<float> targets;  // (steps, joints)
  size_t steps = 0;
  std::span<const float> target(size_t step) const;
  std::span<const double> state(size_t step) const;
};

// what a teacher is led by
struct GetUps {
  std::array<GetUp, 2> ways;  // from the belly, from the back
  std::vector<double> lying;  // (rows, qpos and qvel) where drops led to
  std::vector<double> risen;  // (rows, qpos and qvel) where a riser has just stood up

  static std::span<const double> pick(const std::vector<double>& states, size_t size, Rng& rng);
  void store(Tensors& tensors) const;
  static GetUps load(const Tensors& tensors, const mjModel& model);
};

// targets that a body holds on the floor, in the joints' order
std::vector<float> lying_targets(const mjModel& model);
// whether it lies still in them; on its back, or on its belly
bool lies_still(const mjModel& model, const mjData& data, std::span<const float> targets, const JointServo& servo);
bool on_its_back(const mjData& data);

// `state` (qpos and qvel) becomes the state of `data`, with mj_forward behind it
void put(const mjModel& model, std::span<const double> state, mjData& data);

// from one of OGBench's drops, with noise on the torques; nothing where it does not come to lie still
std::vector<double> find_lying(const ModelPtr& model, Rng rng);
// from there to standing; without steps where the planner does not find a way
GetUp find_get_up(const ModelPtr& model, std::span<const double> lying, const GetUpParams& params, Rng rng);
// how far from standing its targets alone lead from another state with noise on the torques: least `below`
double follow(const ModelPtr& model, const GetUp& way, std::span<const double> lying, double noise, Rng rng);

}  // namespace alps
