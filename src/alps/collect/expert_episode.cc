#include "alps/collect/expert_episode.h"

#include <algorithm>

#include "alps/world/maze_world.h"

namespace alps {
namespace {

constexpr int kStitchSteps = 4;    // cells between start and goal of a stitch episode
constexpr int kExploreSteps = 10;  // steps between two directions of an explore episode
constexpr const char* kExperts = "navigate, stitch and explore";

Point2 unit(Point2 v) { return (1.0 / (distance(v, {0, 0}) + 1e-6)) * v; }

// a goal four cells away; the start itself where there is none
Cell stitch_goal(const Maze& maze, Cell start, Rng& rng) {
  const std::vector<int>& steps = maze.distances(start);
  std::vector<Cell> goals;
  for (const Cell c : maze.free_cells())
    if (steps[c.i * maze.width() + c.j] == kStitchSteps) goals.push_back(c);
  return goals.empty() ? start : rng.pick<Cell>(goals);
}

}  // namespace

void expect_maze(Env& env) { maze_world(env, kExperts); }

size_t run_expert(Env& env, const Recipe& recipe, const Expert& expert, Rng rng, RowsView rows) {
  const auto [plane, placement, maze] = maze_world(env, kExperts);
  const Cell start = rng.pick<Cell>(maze.free_cells());
  const Cell first_goal =
      recipe.behaviour == Behaviour::kStitch ? stitch_goal(maze, start, rng) : rng.pick<Cell>(maze.vertex_cells());
  const Point2 start_at = maze.with_noise(maze.center(start), rng);
  const Point2 goal_at = maze.with_noise(maze.center(first_goal), rng);
  placement.reset(start_at, goal_at, rng.fork(0));

  size_t reached = 0;
  bool arrived = false;
  Point2 direction;
  std::vector<double> action(env.spec().action_size);
  for (size_t step = 0; step < rows.count; ++step) {
    // where to
    if (recipe.behaviour != Behaviour::kExplore) {
      direction = maze.oracle_direction(plane.position(), plane.goal());
    } else if (step % kExploreSteps == 0) {
      const double x = rng.normal(), y = rng.normal();
      direction = unit({x, y});
    }

    // how, with noise
    expert(env.observation().floats().subspan(2), direction, action);
    for (double& a : action) a = std::clamp(a + recipe.noise * rng.normal(), -1.0, 1.0);

    // a row is the state before the step and the action taken there
    rows.set(step, env, action, step + 1 == rows.count);
    const bool success = env.step(action).success;
    if (success) {
      reached += !arrived;  // a goal counts once, however often its edge is crossed
      if (recipe.behaviour == Behaviour::kNavigate) {
        const Cell next = rng.pick<Cell>(maze.vertex_cells());
        placement.set_goal(maze.with_noise(maze.center(next), rng));
      }
    }
    arrived |= success && recipe.behaviour != Behaviour::kNavigate;
  }
  return reached;
}

}  // namespace alps
