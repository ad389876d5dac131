// OGBench's manipulation worlds as tables: which objects stand on the table before the arm, where they may lie, and the
// five tasks of each. One description, one class of environment (arm_env.h); a new world of these objects is a function
// here and a row of the catalogue.
#pragma once

#include <array>
#include <vector>

#include "alps/world/pose.h"

namespace alps {

// what a task says of the objects, before the noise of a reset
struct ArmLayout {
  std::vector<Vec3> cubes;
  std::vector<int> buttons;  // 0 or 1 each
  double drawer = 0;         // 0 shut, -0.16 open
  double window = 0;         // 0 shut, 0.2 open
};

struct ArmTask {
  ArmLayout start, goal;
};

struct ArmWorld {
  int max_episode_steps = 0;
  int cubes = 0;
  int button_rows = 0, button_columns = 0;  // a grid of buttons each of which also turns its neighbours
  bool furniture = false;                   // a drawer and a window, and two buttons that lock them
  // boxes from which places are drawn
  Vec3 arm_low{0.25, -0.35, 0.20}, arm_high{0.6, 0.35, 0.35};
  std::array<double, 2> object_low{0.3, -0.3}, object_high{0.55, 0.3};
  // random actions that bring the goal's scene to rest, and whether they shut the gripper
  int settle_steps = 2;
  bool settle_shut = false;
  std::vector<ArmTask> tasks;

  int buttons() const { return furniture ? 2 : button_rows * button_columns; }
  int observation_size() const { return 19 + 9 * cubes + 4 * buttons() + (furniture ? 4 : 0); }
};

const ArmWorld& cubes_world(int cubes);      // 1 to 4
const ArmWorld& furniture_world();           // a cube, two buttons, a drawer and a window
const ArmWorld& lights_out_world(int side);  // 3 or 4: a square of buttons

}  // namespace alps
