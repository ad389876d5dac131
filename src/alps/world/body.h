// The three bodies that walk OGBench's mazes: how each is reset, how it takes an action, what it observes. A body holds
// no state and knows no maze; everything lives in mjData. One step of the environment is `command`, then `advance`.
#pragma once

#include <mujoco/mujoco.h>

#include <span>
#include <string_view>

#include "alps/base/rng.h"

namespace alps {

struct Body {
  std::string_view name;  // also the name of its XML
  std::string_view summary;
  int observation_size;
  double goal_tolerance;
  int settle_steps;      // random actions before the goal's posture is taken
  bool near_walls_only;  // simulated among the walls around its cell (maze_sims.h)
  double reach;          // nothing further than this from its place along x or y can touch it; for coast

  void (*reset)(const mjModel& model, mjData& data, Rng& rng);  // after mj_resetData, posture and velocity
  void (*command)(const mjModel& model, mjData& data, std::span<const double> action);
  void (*advance)(const mjModel& model, mjData& data);
  // the same as advance where nothing is within reach, in less time; null: the body has no such shortcut
  void (*coast)(const mjModel& model, mjData& data);
  void (*observe)(const mjModel& model, const mjData& data, std::span<double> out);
};

const Body& point_body();
const Body& ant_body();
const Body& humanoid_body();

constexpr int kFrameSkip = 5;  // simulation steps per action, for all three

}  // namespace alps
