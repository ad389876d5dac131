#include "alps/collect/play.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>

#include "alps/base/error.h"
#include "alps/collect/arm_script.h"

namespace alps {
namespace {

constexpr double kCube = 0.04;       // its edge
constexpr double kTolerance = 0.04;  // of a cube or a slide at its goal

// what the arm is at, and whether it worked
struct Errand {
  std::vector<Keyframe> way;
  std::function<bool()> reached;
};

// cubes with nothing on them, of those that can be reached
std::vector<int> top_cubes(const ArmView& arm) {
  const int count = arm.world().cubes;
  std::vector<int> tops;
  for (int i = 0; i < count; ++i) {
    const Vec3 below = arm.cube(i).position;
    bool free = true;
    for (int j = 0; j < count; ++j) {
      const Vec3 p = arm.cube(j).position;
      free &= j == i || p[2] <= below[2] || std::hypot(p[0] - below[0], p[1] - below[1]) >= 0.02;
    }
    if (free) tops.push_back(i);
  }
  return tops;
}

bool in_drawer(const ArmView& arm, const Vec3& p) {
  const double y = arm.handle(Slide::kDrawer).position[1];
  return p[0] >= 0.21 && p[0] <= 0.45 && p[1] >= y - 0.27 && p[1] <= y - 0.07 && p[2] >= 0 && p[2] <= 0.15;
}

// a cube onto another one, with probability `stacking` where there are two, or into the open drawer, or to the table
Errand move_a_cube(const ArmView& arm, double stacking, Rng& rng) {
  std::vector<int> tops = top_cubes(arm);
  const int cube = rng.pick<int>(tops);
  const ArmWorld& world = arm.world();
  const bool into_drawer = world.furniture && arm.slide(Slide::kDrawer) < -0.12 && rng.uniform() < 0.3;
  const bool stack = tops.size() > 1 && rng.uniform() < stacking;
  Vec3 place{0, 0, kCube / 2};
  if (into_drawer) {
    place = {0.33 + rng.uniform(-0.005, 0.005), -0.24 + rng.uniform(-0.005, 0.005), 0.066};
  } else if (stack) {
    std::erase(tops, cube);
    place = sum(arm.cube(rng.pick<int>(tops)).position, {0, 0, kCube});
  } else {
    for (int k = 0; k < 2; ++k) place[k] = rng.uniform(world.object_low[k], world.object_high[k]);
  }
  const Pose goal{rotation_z(rng.uniform(0, 2 * std::numbers::pi)), place};
  return {move_cube(arm, cube, goal, rng),
          [&arm, cube, place] { return length(difference(arm.cube(cube).position, place)) <= kTolerance; }};
}

Errand press_a_button(const ArmView& arm, Rng& rng) {
  const int button = static_cast<int>(rng.below(arm.world().buttons())), before = arm.button_states()[button];
  return {press_button(arm, button, rng), [&arm, button, before] { return arm.button_states()[button] != before; }};
}

Errand pull_to_the_other_end(const ArmView& arm, Slide which, Rng& rng) {
  const double now = arm.slide(which);
  const double to = which == Slide::kDrawer ? (now >= -0.08 ? -0.16 : 0.0) : (now <= 0.1 ? 0.2 : 0.0);
  return {pull(arm, which, to, rng), [&arm, which, to] { return std::abs(arm.slide(which) - to) <= kTolerance; }};
}

Errand next_errand(const ArmView& arm, double stacking, Rng& rng) {
  const ArmWorld& world = arm.world();
  if (!world.furniture) return world.cubes > 0 ? move_a_cube(arm, stacking, rng) : press_a_button(arm, rng);
  // a cube in the drawer stays there until somebody opens it; what is locked is tried more rarely
  const double cube = in_drawer(arm, arm.cube(0).position) ? 0 : 1, button = 1;
  const double drawer = arm.button_states()[0] == 0 ? 0.25 : 1, window = arm.button_states()[1] == 0 ? 0.25 : 1;
  double draw = rng.uniform(0, cube + button + drawer + window);
  if ((draw -= cube) < 0) return move_a_cube(arm, stacking, rng);
  if ((draw -= button) < 0) return press_a_button(arm, rng);
  return pull_to_the_other_end(arm, draw < drawer ? Slide::kDrawer : Slide::kWindow, rng);
}

// how often cubes are stacked in an episode
double draw_stacking(int cubes, Rng& rng) {
  switch (cubes) {
    case 2: return rng.uniform(0, 0.25);
    case 3: return rng.uniform(0.05, 0.35);
    case 4: return rng.uniform(0.1, 0.5);
    default: return 0;
  }
}

// the cube is where a camera sees it, or in the drawer
bool in_sight(const ArmView& arm) {
  if (!arm.world().furniture) return true;
  const Vec3 p = arm.cube(0).position;
  return p[1] < 0.29 && (p[1] > -0.3 || (p[2] >= 0.06 && p[2] <= 0.08));
}

// nothing, if the cube got out of sight
std::optional<size_t> try_play(Env& env, double noise, Rng rng, RowsView rows) {
  const ArmView& arm = *env.arm();
  env.play()->start_play(rng.fork(0));
  constexpr double kFirstStacking = 0.5;  // OGBench draws the episode's own only after the first target
  Errand errand = next_errand(arm, kFirstStacking, rng);
  ArmScript script(errand.way, noise, rng);
  const double stacking = draw_stacking(arm.world().cubes, rng);
  size_t reached = 0;
  for (size_t step = 0; step < rows.count; ++step) {
    if (!in_sight(arm)) return {};
    const ArmAction action = script.next(arm);
    rows.set(step, env, action, step + 1 == rows.count);
    env.step(action);
    if (!script.done()) continue;
    reached += errand.reached();
    errand = next_errand(arm, stacking, rng);
    script = ArmScript(errand.way, noise, rng);
  }
  return reached;
}

}  // namespace

void check_play(Env& env) {
  if (env.arm() == nullptr || env.play() == nullptr)
    throw Error("play data need an arm, and ", env.spec().name, " has none; choose an environment with an arm");
}

size_t run_play(Env& env, double noise, Rng rng, RowsView rows) {
  for (uint64_t attempt = 0;; ++attempt)
    if (const auto reached = try_play(env, noise, rng.fork(attempt), rows)) return *reached;
}

}  // namespace alps
