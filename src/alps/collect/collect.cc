#include "alps/collect/collect.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>

#include "alps/base/error.h"
#include "alps/base/npz.h"
#include "alps/base/threads.h"
#include "alps/collect/rows.h"
#include "alps/data/dataset.h"
#include "alps/world/catalog.h"
#include "alps/world/maze.h"

namespace alps {
namespace {

constexpr int kStitchSteps = 4;     // cells between start and goal of a stitch episode
constexpr int kExploreSteps = 10;   // steps between two directions of an explore episode
constexpr size_t kWalkUnit = 1000;  // steps of a random walk that one --episodes stands for

Point2 unit(Point2 v) { return (1.0 / (distance(v, {0, 0}) + 1e-6)) * v; }

// a goal four cells away; the start itself where there is none
Cell stitch_goal(const Maze& maze, Cell start, Rng& rng) {
  const std::vector<int>& steps = maze.distances(start);
  std::vector<Cell> goals;
  for (const Cell c : maze.free_cells())
    if (steps[c.i * maze.width() + c.j] == kStitchSteps) goals.push_back(c);
  return goals.empty() ? start : rng.pick<Cell>(goals);
}

// one episode of an expert in a maze, written to `rows`; returns how often it reached its goal
size_t run_expert(Env& env, const Recipe& recipe, const Expert& expert, Rng rng, RowsView rows) {
  const Maze& maze = *env.maze();
  const Cell start = rng.pick<Cell>(maze.free_cells());
  const Cell first_goal =
      recipe.behaviour == Behaviour::kStitch ? stitch_goal(maze, start, rng) : rng.pick<Cell>(maze.vertex_cells());
  const Point2 start_at = maze.with_noise(maze.center(start), rng);
  const Point2 goal_at = maze.with_noise(maze.center(first_goal), rng);
  env.reset(start_at, goal_at, rng.fork(0));

  size_t reached = 0;
  bool arrived = false;
  Point2 direction;
  std::vector<double> action(env.spec().action_size);
  for (size_t step = 0; step < rows.count; ++step) {
    // where to
    if (recipe.behaviour != Behaviour::kExplore) {
      direction = maze.oracle_direction(env.position(), env.goal());
    } else if (step % kExploreSteps == 0) {
      const double x = rng.normal(), y = rng.normal();
      direction = unit({x, y});
    }

    // how, with noise
    expert(env.observation().subspan(2), direction, action);
    for (double& a : action) a = std::clamp(a + recipe.noise * rng.normal(), -1.0, 1.0);

    // a row is the state before the step and the action taken there
    rows.set(step, env, action, step + 1 == rows.count);
    const bool success = env.step(action).success;
    if (success) {
      reached += !arrived;  // a goal counts once, however often its edge is crossed
      if (recipe.behaviour == Behaviour::kNavigate) {
        const Cell next = rng.pick<Cell>(maze.vertex_cells());
        env.set_goal(maze.with_noise(maze.center(next), rng));
      }
    }
    arrived |= success && recipe.behaviour != Behaviour::kNavigate;
  }
  return reached;
}

// PcLast's random policy: uniform actions, kept to two decimals as its positions are
void run_random_walk(Env& env, Rng rng, RowsView rows, const ProgressFn& progress) {
  env.reset(1, rng.fork(0));
  std::vector<double> action(env.spec().action_size);
  for (size_t step = 0; step < rows.count; ++step) {
    for (double& a : action) a = std::round(100 * rng.uniform(-env.spec().action_limit, env.spec().action_limit)) / 100;
    rows.set(step, env, action, step + 1 == rows.count);
    env.step(action);
    if (progress && step % 1000 == 0) progress(step, rows.count);
  }
}

// the two files of a data set, opened before the work so that a folder that cannot be written is found out at once
struct Files {
  NpzWriter val, train;
  Files(const std::filesystem::path& path, int threads)
      : val(validation_path(path), {.threads = threads}), train(path, {.threads = threads}) {}
};

CollectStats make_walk(const Recipe& recipe, Files& files, const CollectOptions& options, const ProgressFn& progress) {
  // an image is a function of the position, so the walk itself is made without images
  const size_t steps = options.episodes > 0 ? options.episodes * kWalkUnit : recipe.length;
  const auto shown = make_env(recipe.env);
  const auto env = shown->spec().image ? make_env(recipe.env.substr(recipe.env.find("maze2d"))) : shown->clone();
  const Rng rng(options.seed);
  Rows train(env->spec(), steps + 1), val(env->spec(), steps / 10 + 1);
  run_random_walk(*env, rng.fork(0), train.view(0, train.count()), progress);
  run_random_walk(*env, rng.fork(1), val.view(0, val.count()), {});

  if (shown->spec().image) {
    val.save_images(files.val, *shown, options.threads);
    train.save_images(files.train, *shown, options.threads);
  } else {
    val.save(files.val);
    train.save(files.train);
  }
  if (progress) progress(train.count(), train.count());
  return {.train_rows = train.count(), .val_rows = val.count()};
}

CollectStats make_episodes(const Recipe& recipe, Files& files, const CollectOptions& options,
                           const ProgressFn& progress) {
  const Expert expert = expert_for(recipe.env, options.expert);
  const size_t length = recipe.length + 1;
  const auto prototype =
      make_env(recipe.env, {.terminate_at_goal = false, .max_episode_steps = static_cast<int>(length)});
  const size_t train_episodes = options.episodes > 0 ? options.episodes : recipe.episodes;
  const size_t val_episodes = std::max<size_t>(1, train_episodes / 10), episodes = train_episodes + val_episodes;
  Rows train(prototype->spec(), train_episodes * length), val(prototype->spec(), val_episodes * length);

  // every worker has its own world, every episode its own random numbers
  const int workers = worker_count(episodes, options.threads);
  std::vector<std::unique_ptr<Env>> envs;
  for (int w = 0; w < workers; ++w) envs.push_back(prototype->clone());
  std::atomic<size_t> reached = 0, done = 0;
  const Rng rng(options.seed);
  parallel_for_worker(episodes, workers, [&](size_t i, int worker) {
    const RowsView rows =
        i < train_episodes ? train.view(i * length, length) : val.view((i - train_episodes) * length, length);
    reached += run_expert(*envs[worker], recipe, expert, rng.fork(i), rows);
    done += length;
    if (progress) progress(done, episodes * length);
  });

  val.save(files.val);
  train.save(files.train);
  return {.train_rows = train.count(), .val_rows = val.count(), .episodes = episodes, .goals_reached = reached};
}

}  // namespace

CollectStats make_dataset(const Recipe& recipe, const std::filesystem::path& path, const CollectOptions& options,
                          const ProgressFn& progress) {
  if (!recipe.missing.empty())
    throw Error(recipe.name, " cannot be made here yet: it needs ", recipe.missing, "; fetch it with alps data get ",
                recipe.name);
  Files files(path, options.threads);
  return recipe.behaviour == Behaviour::kRandom ? make_walk(recipe, files, options, progress)
                                                : make_episodes(recipe, files, options, progress);
}

}  // namespace alps
