#include "alps/collect/expert_check.h"

#include <algorithm>
#include <atomic>
#include <memory>

#include "alps/base/threads.h"
#include "alps/world/catalog.h"
#include "alps/world/direction_env.h"
#include "alps/world/maze_world.h"
#include "alps/world/physics_view.h"

namespace alps {
namespace {

constexpr int kInterval = 100;     // steps between two directions on the plane
constexpr size_t kQuaternion = 3;  // of qpos
constexpr int kSteps = DirectionEnv::kMaxSteps;

void add_noise(std::span<double> action, double noise, Rng& rng) {
  for (double& a : action) a = std::clamp(a + noise * rng.normal(), -1.0, 1.0);
}

struct Episode {
  bool reached = false, on_back = false, fell = false;
  int steps = 0;
  double along = 0;
};

Episode walk(DirectionEnv& env, const Expert& expert, double noise, Rng rng) {
  env.reset(rng.fork(0));
  std::vector<double> action(env.action_size());
  Episode e;
  for (DirectionEnv::Step result; !result.done(); ++e.steps) {
    const auto seen = env.observation();
    const size_t size = seen.size() - 2;
    expert(std::vector<float>(seen.begin(), seen.begin() + size), {seen[size], seen[size + 1]}, action);
    add_noise(action, noise, rng);
    result = env.step(action);
    e.along += result.reward;
    e.fell = result.terminated;
  }
  e.on_back = env.on_back();
  return e;
}

Episode navigate(Env& env, const Expert& expert, double noise, Rng rng) {
  const auto [plane, placement, maze] = maze_world(env, "walks to random cells");
  const Point2 start = maze.with_noise(maze.center(rng.pick<Cell>(maze.free_cells())), rng);
  const Point2 goal = maze.center(rng.pick<Cell>(maze.vertex_cells()));  // where the oracle leads
  placement.reset(start, goal, rng.fork(0));
  std::vector<double> action(env.spec().action_size);
  Episode e;
  for (; e.steps < kSteps && !e.reached; ++e.steps) {
    const Point2 from = plane.position(), direction = maze.oracle_direction(from, goal);
    expert(env.observation().floats().subspan(2), direction, action);
    add_noise(action, noise, rng);
    e.reached = env.step(action).success;
    const Point2 moved = plane.position() - from;
    e.along += moved.x * direction.x + moved.y * direction.y;
  }
  ALPS_CHECK(env.physics() != nullptr);  // an expert's body is simulated
  e.on_back = uprightness(env.physics()->qpos().subspan(kQuaternion, 4)) < 0;
  return e;
}

// `run` does episode i in the world of a worker, which `make` makes
template <class World>
ExpertFigures sum_up(std::string where, const ExpertCheckOptions& options, const ProgressFn& progress,
                     const std::function<std::unique_ptr<World>()>& make,
                     const std::function<Episode(World&, Rng)>& run) {
  const int workers = worker_count(options.episodes, options.threads);
  std::vector<std::unique_ptr<World>> worlds;
  for (int w = 0; w < workers; ++w) worlds.push_back(make());
  std::vector<Episode> episodes(options.episodes);
  std::atomic<size_t> done = 0;
  parallel_for_worker(episodes.size(), workers, [&](size_t i, int worker) {
    episodes[i] = run(*worlds[worker], Rng(options.seed).fork(i));
    if (progress) progress(++done, episodes.size());
  });

  ExpertFigures f{.where = std::move(where), .episodes = options.episodes};
  double steps = 0;
  for (const Episode& e : episodes) {
    f.reached += e.reached;
    f.on_back += e.on_back;
    f.fell += e.fell;
    f.speed += e.along;
    steps += e.steps;
    if (e.reached) f.steps += e.steps;
  }
  f.speed /= std::max(steps, 1.0);
  f.steps /= std::max(f.reached, 1);
  return f;
}

}  // namespace

ExpertFigures check_on_plane(const Expert& expert, const ExpertCheckOptions& options, const ProgressFn& progress) {
  return sum_up<DirectionEnv>(
      "plane", options, progress, [] { return make_plane_env(ant_body(), kInterval); },
      [&](DirectionEnv& env, Rng rng) { return walk(env, expert, options.noise, rng); });
}

ExpertFigures check_in_maze(const Expert& expert, const std::string& name, const ExpertCheckOptions& options,
                            const ProgressFn& progress) {
  const auto prototype = make_env(name, {.terminate_at_goal = false, .max_episode_steps = kSteps});
  return sum_up<Env>(
      name, options, progress, [&] { return prototype->clone(); },
      [&](Env& env, Rng rng) { return navigate(env, expert, options.noise, rng); });
}

}  // namespace alps
