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

void add_noise(std::span<double> action, double noise, Rng& rng) {
  for (double& a : action) a = std::clamp(a + noise * rng.normal(), -1.0, 1.0);
}

struct Episode {
  bool reached = false, down = false, ended = false;
  int steps = 0;
  double along = 0;
  FallWatch watch;
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
    e.ended = result.terminated;
    e.watch.step(env.on_back());
  }
  e.down = env.on_back();
  return e;
}

Episode navigate(const ExpertBody& body, Env& env, const Expert& expert, double noise, Rng rng) {
  const auto [plane, placement, maze] = maze_world(env, "walks to random cells");
  const Point2 start = maze.with_noise(maze.center(rng.pick<Cell>(maze.free_cells())), rng);
  const Point2 goal = maze.center(rng.pick<Cell>(maze.vertex_cells()));  // where the oracle leads
  placement.reset(start, goal, rng.fork(0));
  std::vector<double> action(env.spec().action_size);
  Episode e;
  ALPS_CHECK(env.physics() != nullptr);  // an expert's body is simulated
  for (; e.steps < body.longest && !e.reached; ++e.steps) {
    const Point2 from = plane.position(), direction = maze.oracle_direction(from, goal);
    expert(env.observation().floats().subspan(2), direction, action);
    add_noise(action, noise, rng);
    e.reached = env.step(action).success;
    const Point2 moved = plane.position() - from;
    e.along += moved.x * direction.x + moved.y * direction.y;
    e.watch.step(body.down(env.physics()->qpos()));
  }
  e.down = body.down(env.physics()->qpos());
  return e;
}

// `run` does episode i in the world of a worker, which `make` makes
template <class World>
ExpertFigures sum_up(const ExpertBody& body, std::string where, const ExpertCheckOptions& options,
                     const ProgressFn& progress, const std::function<std::unique_ptr<World>()>& make,
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
  for (const Episode& e : episodes) {
    f.reached += e.reached;
    f.down += e.down;
    f.ended += e.ended;
    f.speed += e.along;
    f.total_steps += e.steps;
    if (e.reached) f.steps += e.steps;
    f.up_soon += e.watch.up_soon();
    f.falls += e.watch.falls();
    f.up_again += e.watch.up_again();
  }
  f.speed /= static_cast<double>(std::max<int64_t>(f.total_steps, 1));
  f.metres = f.speed / body.seconds;
  f.steps /= std::max(f.reached, 1);
  return f;
}

}  // namespace

void FallWatch::step(bool down) {
  ++steps_;
  standing_ = down ? 0 : standing_ + 1;
  if (was_up_ && down) ++falls_, fell_at_ = steps_, was_up_ = false;
  if (standing_ >= kStands && !was_up_) {
    was_up_ = true;
    up_soon_ = up_soon_ || steps_ <= kSoon + kStands;
    up_again_ += falls_ > 0;
  }
  down_ = down;
}

// the last fall counts if there was time to get up, or if it did
int FallWatch::falls() const { return falls_ - (falls_ > up_again_ && steps_ - fell_at_ < kSoon ? 1 : 0); }

ExpertFigures check_on_plane(const ExpertBody& body, const Expert& expert, const ExpertCheckOptions& options,
                             const ProgressFn& progress) {
  ALPS_CHECK(body.plane != nullptr);
  return sum_up<DirectionEnv>(body, "plane", options, progress, body.plane,
                              [&](DirectionEnv& env, Rng rng) { return walk(env, expert, options.noise, rng); });
}

ExpertFigures check_in_maze(const ExpertBody& body, const Expert& expert, const std::string& name,
                            const ExpertCheckOptions& options, const ProgressFn& progress) {
  const auto prototype = make_env(name, {.terminate_at_goal = false, .max_episode_steps = body.longest});
  return sum_up<Env>(
      body, name, options, progress, [&] { return prototype->clone(); },
      [&](Env& env, Rng rng) { return navigate(body, env, expert, options.noise, rng); });
}

}  // namespace alps
