#include "alps/collect/collect.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>

#include "alps/base/error.h"
#include "alps/base/file.h"
#include "alps/base/npz.h"
#include "alps/base/threads.h"
#include "alps/collect/pieces.h"
#include "alps/collect/rows.h"
#include "alps/data/dataset.h"
#include "alps/world/catalog.h"
#include "alps/world/maze_world.h"
#include "alps/world/version.h"

namespace alps {
namespace {

constexpr int kStitchSteps = 4;       // cells between start and goal of a stitch episode
constexpr int kExploreSteps = 10;     // steps between two directions of an explore episode
constexpr size_t kWalkUnit = 1000;    // steps of a random walk that one --episodes stands for
constexpr size_t kPieceRows = 10000;  // of a piece, about: a few seconds of an ant
constexpr const char* kExperts = "navigate, stitch and explore";
constexpr const char* kReached = "goals_reached";  // of each episode, in a piece

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

CollectStats make_walk(const Recipe& recipe, const std::filesystem::path& path, const CollectOptions& options,
                       const ProgressFn& progress) {
  // opened before the work, so that a folder that cannot be written is found out at once
  NpzWriter val_file(validation_path(path), {.threads = options.threads}),
      train_file(path, {.threads = options.threads});

  // where an image is a function of the position, the walk itself is made without images
  const size_t steps = options.episodes > 0 ? options.episodes * kWalkUnit : recipe.length;
  const auto shown = make_env(recipe.env);
  const auto env = recipe.walked_in.empty() ? shown->clone() : make_env(recipe.walked_in);
  const Rng rng(options.seed);
  Rows train(*env, steps + 1), val(*env, steps / 10 + 1);
  run_random_walk(*env, rng.fork(0), train.view(0, train.count()), progress);
  run_random_walk(*env, rng.fork(1), val.view(0, val.count()), {});

  if (!recipe.walked_in.empty()) {
    val.save_images(val_file, *shown, options.threads);
    train.save_images(train_file, *shown, options.threads);
  } else {
    val.save(val_file);
    train.save(train_file);
  }
  if (progress) progress(train.count(), train.count());
  return {.train_rows = train.count(), .val_rows = val.count()};
}

// everything that the rows of a data set of episodes depend on; a maker that makes other rows raises the format
std::string work_of(const Recipe& recipe, size_t episodes, const CollectOptions& options) {
  const std::filesystem::path weights = expert_file(recipe.expert, options.expert);
  const size_t expert = weights.empty() ? 0 : std::hash<std::string>{}(read_text(weights));
  return str("format 1\n", recipe.name, "\nepisodes ", episodes, "\nseed ", options.seed, "\nexpert ", expert, "\n",
             mujoco_version(), "\n");
}

// episodes first .. last - 1
struct Stretch {
  size_t first, last;
};

void cut(size_t first, size_t last, size_t most, std::vector<Stretch>& into) {
  for (; first < last; first += most) into.push_back({first, std::min(first + most, last)});
}

CollectStats make_episodes(const Recipe& recipe, const std::filesystem::path& path, const CollectOptions& options,
                           const ProgressFn& progress) {
  const Expert expert = expert_for(recipe.expert, options.expert);
  const size_t length = recipe.length + 1;
  const auto prototype =
      make_env(recipe.env, {.terminate_at_goal = false, .max_episode_steps = static_cast<int>(length)});
  maze_world(*prototype, kExperts);  // or say at once what is missing
  const size_t train_episodes = options.episodes > 0 ? options.episodes : recipe.episodes;
  const size_t val_episodes = std::max<size_t>(1, train_episodes / 10), episodes = train_episodes + val_episodes;

  // pieces of training, then those of validation; some may be there from work that was stopped
  std::vector<Stretch> stretches;
  cut(0, train_episodes, std::max<size_t>(1, kPieceRows / length), stretches);
  const size_t train_pieces = stretches.size();
  cut(train_episodes, episodes, std::max<size_t>(1, kPieceRows / length), stretches);
  Pieces pieces(path, work_of(recipe, train_episodes, options));

  // every worker has its own world, every episode its own random numbers
  const int workers = worker_count(stretches.size(), options.threads);
  std::vector<std::unique_ptr<Env>> envs;
  for (int w = 0; w < workers; ++w) envs.push_back(prototype->clone());
  std::atomic<size_t> done = 0;
  const Rng rng(options.seed);
  parallel_for_worker(stretches.size(), workers, [&](size_t p, int worker) {
    const auto [first, last] = stretches[p];
    if (pieces.has(p)) {
      done += (last - first) * length;
      return;
    }
    Rows rows(*prototype, (last - first) * length);
    Array reached(DType::kInt64, {last - first});
    for (size_t i = first; i < last; ++i) {
      const RowsView view = rows.view((i - first) * length, length);
      reached.as<int64_t>()[i - first] = run_expert(*envs[worker], recipe, expert, rng.fork(i), view);
      done += length;
      if (progress) progress(done, episodes * length);
    }
    NpzWriter file(pieces.path(p), {.level = 0, .threads = 1});
    file.add(kReached, reached);
    rows.save(file);
  });

  // the whole appears at once, the validation file first
  CollectStats stats = {.train_rows = train_episodes * length, .val_rows = val_episodes * length, .episodes = episodes};
  for (size_t p = 0; p < stretches.size(); ++p) {
    const Array reached = NpzReader(pieces.path(p)).read(kReached);
    for (const int64_t goals : reached.as<int64_t>()) stats.goals_reached += goals;
  }
  const std::vector<const char*> keys = Rows::keys(*prototype);
  pieces.join(train_pieces, stretches.size(), keys, validation_path(path), options.threads);
  pieces.join(0, train_pieces, keys, path, options.threads);
  pieces.remove();
  return stats;
}

}  // namespace

CollectStats make_dataset(const Recipe& recipe, const std::filesystem::path& path, const CollectOptions& options,
                          const ProgressFn& progress) {
  if (!recipe.missing.empty())
    throw Error(recipe.name, " cannot be made here yet: it needs ", recipe.missing, "; fetch it with alps data get ",
                recipe.name);
  return recipe.behaviour == Behaviour::kRandom ? make_walk(recipe, path, options, progress)
                                                : make_episodes(recipe, path, options, progress);
}

}  // namespace alps
