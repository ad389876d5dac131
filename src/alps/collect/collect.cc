#include "alps/collect/collect.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <memory>
#include <numeric>

#include "alps/base/error.h"
#include "alps/base/file.h"
#include "alps/base/hash.h"
#include "alps/base/interrupt.h"
#include "alps/base/npz.h"
#include "alps/base/threads.h"
#include "alps/collect/pieces.h"
#include "alps/collect/play.h"
#include "alps/collect/random_walk.h"
#include "alps/collect/rows.h"
#include "alps/data/dataset.h"
#include "alps/world/catalog.h"
#include "alps/world/maze_world.h"
#include "alps/world/version.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

constexpr int kStitchSteps = 4;       // cells between start and goal of a stitch episode
constexpr int kExploreSteps = 10;     // steps between two directions of an explore episode
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

// everything that the rows of a data set of episodes depend on; a maker that makes other rows raises the format
std::string work_of(const Recipe& recipe, size_t episodes, const CollectOptions& options) {
  const fs::path weights = expert_file(recipe.expert, options.expert);
  const std::string expert = weights.empty() ? "none" : hash_name(read_text(weights));
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

// a data set of episodes, cut into pieces: those of training, then those of validation
struct EpisodeWork {
  const Recipe& recipe;
  const CollectOptions& options;
  Expert expert;
  size_t length;  // rows of an episode
  size_t train_episodes, val_episodes;
  std::unique_ptr<Env> prototype;
  std::vector<Stretch> stretches;
  size_t train_pieces;

  size_t rows(size_t piece) const { return (stretches[piece].last - stretches[piece].first) * length; }
  std::string key() const { return work_of(recipe, train_episodes, options); }
};

EpisodeWork plan_episodes(const Recipe& recipe, const CollectOptions& options) {
  const size_t length = recipe.length + 1, train = options.episodes > 0 ? options.episodes : recipe.episodes;
  EpisodeWork work{
      .recipe = recipe,
      .options = options,
      .expert = expert_for(recipe.expert, options.expert),
      .length = length,
      .train_episodes = train,
      .val_episodes = std::max<size_t>(1, train / 10),
      .prototype = make_env(recipe.env, {.terminate_at_goal = false, .max_episode_steps = static_cast<int>(length)}),
      .stretches = {},
      .train_pieces = 0};
  // or say at once what is missing
  if (recipe.behaviour == Behaviour::kPlay)
    check_play(*work.prototype);
  else
    maze_world(*work.prototype, kExperts);
  const size_t most = std::max<size_t>(1, kPieceRows / length);
  cut(0, train, most, work.stretches);
  work.train_pieces = work.stretches.size();
  cut(train, train + work.val_episodes, most, work.stretches);
  return work;
}

void make_piece(const EpisodeWork& work, Env& env, size_t piece, const fs::path& path,
                const std::function<void()>& episode_done) {
  const auto [first, last] = work.stretches[piece];
  Rows rows(*work.prototype, work.rows(piece));
  Array reached(DType::kInt64, {last - first});
  const Rng rng(work.options.seed);
  for (size_t i = first; i < last; ++i) {
    const RowsView view = rows.view((i - first) * work.length, work.length);
    reached.as<int64_t>()[i - first] = work.recipe.behaviour == Behaviour::kPlay
                                           ? run_play(env, work.recipe.noise, rng.fork(i), view)
                                           : run_expert(env, work.recipe, work.expert, rng.fork(i), view);
    episode_done();
  }
  NpzWriter file(path, {.level = 0, .threads = 1});
  file.add(kReached, reached);
  rows.save(file);
}

// those of `wanted` that are not there yet from work that was stopped; `go_on` is asked before each
void make_pieces(
    const EpisodeWork& work, const Pieces& pieces, std::span<const size_t> wanted, const ProgressFn& progress,
    const std::function<bool()>& go_on = [] { return true; }) {
  size_t total = 0;
  for (const size_t p : wanted) total += work.rows(p);
  // every worker has its own world, every episode its own random numbers
  const int workers = worker_count(wanted.size(), work.options.threads);
  std::vector<std::unique_ptr<Env>> envs;
  for (int w = 0; w < workers; ++w) envs.push_back(work.prototype->clone());
  std::atomic<size_t> done = 0;
  parallel_for_worker(wanted.size(), workers, [&](size_t i, int worker) {
    if (!go_on()) return;
    if (pieces.has(wanted[i])) {
      done += work.rows(wanted[i]);
      return;
    }
    make_piece(work, *envs[worker], wanted[i], pieces.path(wanted[i]), [&] {
      done += work.length;
      if (progress) progress(done, total);
    });
  });
}

CollectStats make_episodes(const Recipe& recipe, const fs::path& path, const CollectOptions& options,
                           const ProgressFn& progress) {
  const EpisodeWork work = plan_episodes(recipe, options);
  Pieces pieces(path, work.key(), Pieces::Owner::kWhole);
  std::vector<size_t> all(work.stretches.size());
  std::iota(all.begin(), all.end(), size_t{0});
  make_pieces(work, pieces, all, progress);

  // the whole appears at once, the validation file first
  CollectStats stats = {.train_rows = work.train_episodes * work.length,
                        .val_rows = work.val_episodes * work.length,
                        .episodes = work.train_episodes + work.val_episodes};
  for (const size_t p : all) {
    const Array reached = NpzReader(pieces.path(p)).read(kReached);
    for (const int64_t goals : reached.as<int64_t>()) stats.goals_reached += goals;
  }
  const std::vector<const char*> keys = Rows::keys(*work.prototype);
  pieces.join(work.train_pieces, all.size(), keys, validation_path(path), options.threads);
  pieces.join(0, work.train_pieces, keys, path, options.threads);
  pieces.remove();
  return stats;
}

void refuse_unmakeable(const Recipe& recipe) {
  if (!recipe.missing.empty())
    throw Error(recipe.name, " cannot be made here yet: it needs ", recipe.missing, "; fetch it with alps data get ",
                recipe.name);
}

}  // namespace

Part parse_part(const std::string& text) {
  Part part;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%d/%d%c", &part.index, &part.count, &rest) != 2 || part.index < 1 ||
      part.count < part.index)
    throw UsageError("--part takes I/N, share I of N with I from 1 to N, for example 2/8; '", text, "' is none");
  return part;
}

CollectStats make_dataset(const Recipe& recipe, const fs::path& path, const CollectOptions& options,
                          const ProgressFn& progress) {
  refuse_unmakeable(recipe);
  return recipe.behaviour == Behaviour::kRandom ? make_random_walk(recipe, path, options, progress)
                                                : make_episodes(recipe, path, options, progress);
}

PartStats make_dataset_part(const Recipe& recipe, const fs::path& path, const CollectOptions& options, Part part,
                            const ProgressFn& progress) {
  refuse_unmakeable(recipe);
  if (recipe.behaviour == Behaviour::kRandom) return {};
  const EpisodeWork work = plan_episodes(recipe, options);
  PartStats stats;
  std::vector<size_t> mine;
  for (size_t p = part.index - 1; p < work.stretches.size(); p += part.count) {
    mine.push_back(p);
    stats.rows += work.rows(p);
  }
  stats.pieces = mine.size();

  // somebody may make the whole meanwhile: it then removes the folder, and what is left to do is of no use
  Pieces pieces(path, work.key(), Pieces::Owner::kPart);
  const auto joined = [&] { return fs::exists(path); };
  try {
    make_pieces(work, pieces, mine, progress, [&] { return !joined(); });
  } catch (const Interrupted&) {
    throw;
  } catch (const Error&) {
    if (!joined()) throw;
  }
  if (!joined()) return stats;
  for (const size_t p : mine) fs::remove(pieces.path(p));
  stats.joined = true;
  return stats;
}

}  // namespace alps
