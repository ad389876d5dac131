// Numbers of the tasks: ogbench 1.2.2, manipspace/envs.
#include "alps/world/arm_world.h"

#include "alps/base/error.h"

namespace alps {
namespace {

using Cubes = std::vector<Vec3>;

ArmTask moved(Cubes start, Cubes goal) {
  return {{.cubes = std::move(start), .buttons = {}}, {.cubes = std::move(goal), .buttons = {}}};
}

std::vector<int> states(const std::string& text) {
  std::vector<int> buttons;
  for (const char c : text)
    if (c != ' ') buttons.push_back(c - '0');
  return buttons;
}

// rows of buttons, 1 for one that is on
ArmTask pressed(const std::string& start, const std::string& goal) {
  return {{.cubes = {}, .buttons = states(start)}, {.cubes = {}, .buttons = states(goal)}};
}

ArmWorld with_cubes(int cubes, int steps, std::vector<ArmTask> tasks) {
  ArmWorld world;
  world.max_episode_steps = steps;
  world.cubes = cubes;
  world.tasks = std::move(tasks);
  return world;
}

ArmWorld with_furniture(std::vector<ArmTask> tasks) {
  ArmWorld world;
  world.max_episode_steps = 750;
  world.cubes = 1;
  world.furniture = true;
  world.arm_low = {0.25, -0.2, 0.20};
  world.arm_high = {0.6, 0.2, 0.35};
  world.object_low = {0.3, -0.07};
  world.object_high = {0.45, 0.18};
  world.tasks = std::move(tasks);
  return world;
}

ArmWorld with_buttons(int side, std::vector<ArmTask> tasks) {
  ArmWorld world;
  world.max_episode_steps = 500;
  world.button_rows = world.button_columns = side;
  world.arm_low = {0.25, -0.2, 0.20};
  world.arm_high = {0.6, 0.2, 0.25};
  world.settle_steps = 5;
  world.settle_shut = true;
  world.tasks = std::move(tasks);
  return world;
}

std::vector<ArmWorld> make_cube_worlds() {
  std::vector<ArmWorld> worlds;
  worlds.push_back(
      with_cubes(1, 200,
                 {moved({{0.425, 0.1, 0.02}}, {{0.425, -0.1, 0.02}}), moved({{0.35, 0, 0.02}}, {{0.5, 0, 0.02}}),
                  moved({{0.5, 0, 0.02}}, {{0.35, 0, 0.02}}), moved({{0.35, -0.2, 0.02}}, {{0.5, 0.2, 0.02}}),
                  moved({{0.35, 0.2, 0.02}}, {{0.5, -0.2, 0.02}})}));
  worlds.push_back(
      with_cubes(2, 500,
                 {moved({{0.425, 0, 0.02}, {0.425, -0.1, 0.02}}, {{0.425, 0, 0.02}, {0.425, 0.1, 0.02}}),
                  moved({{0.35, -0.1, 0.02}, {0.5, -0.1, 0.02}}, {{0.35, 0.1, 0.02}, {0.5, 0.1, 0.02}}),
                  moved({{0.35, 0, 0.02}, {0.5, 0, 0.02}}, {{0.425, -0.2, 0.02}, {0.425, 0.2, 0.02}}),
                  moved({{0.425, -0.1, 0.02}, {0.425, 0.1, 0.02}}, {{0.425, 0.1, 0.02}, {0.425, -0.1, 0.02}}),
                  moved({{0.425, -0.2, 0.02}, {0.425, 0.2, 0.02}}, {{0.425, 0, 0.02}, {0.425, 0, 0.06}})}));
  worlds.push_back(with_cubes(3, 1000,
                              {moved({{0.35, -0.1, 0.02}, {0.35, 0.1, 0.02}, {0.5, -0.1, 0.02}},
                                     {{0.35, -0.1, 0.02}, {0.35, 0.1, 0.02}, {0.5, 0.1, 0.02}}),
                               moved({{0.35, -0.2, 0.02}, {0.35, 0, 0.02}, {0.35, 0.2, 0.02}},
                                     {{0.5, 0, 0.02}, {0.5, 0.2, 0.02}, {0.5, -0.2, 0.02}}),
                               moved({{0.425, 0.2, 0.02}, {0.425, 0.2, 0.06}, {0.425, 0.2, 0.1}},
                                     {{0.35, -0.1, 0.02}, {0.5, -0.2, 0.02}, {0.5, 0, 0.02}}),
                               moved({{0.35, 0, 0.02}, {0.5, -0.1, 0.02}, {0.5, 0.1, 0.02}},
                                     {{0.5, -0.1, 0.02}, {0.5, 0.1, 0.02}, {0.35, 0, 0.02}}),
                               moved({{0.35, -0.1, 0.02}, {0.5, -0.2, 0.02}, {0.5, 0, 0.02}},
                                     {{0.425, 0.2, 0.02}, {0.425, 0.2, 0.06}, {0.425, 0.2, 0.1}})}));
  worlds.push_back(
      with_cubes(4, 1000,
                 {moved({{0.35, -0.1, 0.02}, {0.35, 0.1, 0.02}, {0.5, -0.1, 0.02}, {0.5, 0.1, 0.02}},
                        {{0.35, -0.25, 0.02}, {0.35, 0.1, 0.02}, {0.5, -0.1, 0.02}, {0.5, 0.25, 0.02}}),
                  moved({{0.325, -0.2, 0.02}, {0.325, 0.2, 0.02}, {0.525, -0.2, 0.02}, {0.525, 0.2, 0.02}},
                        {{0.375, 0.1, 0.02}, {0.475, 0.1, 0.02}, {0.375, -0.1, 0.02}, {0.475, -0.1, 0.02}}),
                  moved({{0.425, -0.02, 0.02}, {0.425, 0.02, 0.02}, {0.425, -0.02, 0.06}, {0.425, 0.02, 0.06}},
                        {{0.525, -0.2, 0.02}, {0.325, 0.2, 0.02}, {0.325, -0.2, 0.02}, {0.525, 0.2, 0.02}}),
                  moved({{0.525, -0.1, 0.02}, {0.525, 0.1, 0.02}, {0.325, 0.1, 0.02}, {0.325, -0.1, 0.02}},
                        {{0.525, 0.1, 0.02}, {0.325, 0.1, 0.02}, {0.325, -0.1, 0.02}, {0.525, -0.1, 0.02}}),
                  moved({{0.5, -0.05, 0.02}, {0.5, -0.2, 0.02}, {0.35, -0.2, 0.02}, {0.35, -0.05, 0.02}},
                        {{0.425, 0.2, 0.02}, {0.425, 0.2, 0.06}, {0.425, 0.2, 0.1}, {0.425, 0.2, 0.14}})}));
  return worlds;
}

}  // namespace

const ArmWorld& cubes_world(int cubes) {
  static const std::vector<ArmWorld> worlds = make_cube_worlds();
  return worlds.at(cubes - 1);
}

const ArmWorld& furniture_world() {
  // cubes, buttons, drawer, window
  static const ArmWorld world =
      with_furniture({{{{{0.35, 0.05, 0.02}}, {1, 1}, 0, 0}, {{{0.35, 0.05, 0.02}}, {1, 1}, -0.16, 0.2}},
                      {{{{0.35, -0.05, 0.02}}, {0, 0}, -0.16, 0.2}, {{{0.35, -0.05, 0.02}}, {0, 0}, 0, 0}},
                      {{{{0.4, -0.05, 0.02}}, {1, 0}, 0, 0.2}, {{{0.4, 0.15, 0.02}}, {1, 1}, -0.16, 0}},
                      {{{{0.35, 0.05, 0.02}}, {0, 0}, 0, 0}, {{{0.33, -0.356, 0.065986}}, {1, 0}, 0, 0}},
                      {{{{0.35, 0.15, 0.02}}, {0, 0}, 0, 0}, {{{0.33, -0.356, 0.065986}}, {0, 0}, 0, 0.2}}});
  return world;
}

const ArmWorld& lights_out_world(int side) {
  static const ArmWorld three =
      with_buttons(3, {pressed("000 000 000", "110 101 011"), pressed("111 111 111", "011 111 111"),
                       pressed("010 111 010", "101 010 101"), pressed("010 101 010", "111 111 111"),
                       pressed("111 111 111", "101 101 101")});
  static const ArmWorld four = with_buttons(
      4, {pressed("0000 0000 0000 0000", "1111 1111 1111 1111"), pressed("1111 1111 1111 1111", "1111 1001 1001 1111"),
          pressed("1000 0000 0000 0001", "0101 1010 0101 1010"), pressed("1001 1001 1001 1001", "0000 0000 0000 0000"),
          pressed("0101 0010 0001 1000", "0000 0000 0000 0000")});
  ALPS_CHECK(side == 3 || side == 4);
  return side == 3 ? three : four;
}

}  // namespace alps
