// Left and right exchanged: how the numbers that describe a body (joint angles, what a teacher sees) change when the
// world is reflected in the plane between its left and its right side. Each number becomes another one, with or without
// its sign. Applied twice it changes nothing. A policy that walks well in the mirror walks well here, so every sample
// of a training can be used as its own reflection.
#pragma once

#include <mujoco/mujoco.h>

#include <span>
#include <vector>

namespace alps {

struct MirrorMap {
  std::vector<size_t> from;  // out[i] = sign[i] in[from[i]]
  std::vector<float> sign;

  size_t size() const { return from.size(); }
  void apply(std::span<const float> in, std::span<float> out) const;
  // more numbers: one that stays or flips its sign, and a map of its own behind these
  void add(float sign_of_next);
  void append(const MirrorMap& other);
};

// of the hinges of a body on a free joint, in the order of qpos: left_X and right_X change places, and an axis is
// compared with its reflection to find the sign
MirrorMap mirror_of_joints(const mjModel& model);

}  // namespace alps
