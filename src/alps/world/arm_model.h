// The models of OGBench's manipulation worlds: a UR5e arm with a Robotiq 2F-85 gripper and the objects of a world, put
// together with MuJoCo's model editing from the XML files of the installed package as the package does with dm_control:
// the same bodies in the same order, hence the same numbers. What is only seen is left out of the physics (`scene` has
// it), and pairs of gripper parts that cannot touch are left out of its collisions (kApart).
#pragma once

#include <array>
#include <vector>

#include "alps/world/arm_world.h"
#include "alps/world/sim.h"

namespace alps {

struct ArmModels {
  // By locks: bit 0, the drawer is locked; bit 1, the window is. A lock is a damping of 1e6 on its slide. Worlds
  // without furniture have the first only.
  std::array<ModelPtr, 4> physics;
  ModelPtr bare;  // the arm without gripper and table, for inverse kinematics
};

ArmModels load_arm_models(const ArmWorld& world);
ModelPtr load_arm_scene(const ArmWorld& world);  // with all that is seen

// bodies of the gripper that stay apart in every posture of it (tests/world measures by how much)
std::vector<std::pair<std::string, std::string>> gripper_pairs_apart();

}  // namespace alps
