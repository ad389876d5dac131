#include "alps/collect/collect.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>

#include "alps/base/error.h"
#include "alps/base/file.h"
#include "alps/base/hash.h"
#include "alps/base/interrupt.h"
#include "alps/base/memory.h"
#include "alps/base/npz.h"
#include "alps/base/threads.h"
#include "alps/collect/expert_episode.h"
#include "alps/collect/pieces.h"
#include "alps/collect/play.h"
#include "alps/collect/random_walk.h"
#include "alps/collect/rows.h"
#include "alps/data/dataset.h"
#include "alps/world/catalog.h"
#include "alps/world/image_view.h"
#include "alps/world/version.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

constexpr size_t kPieceRows = 10000;               // of a piece, about: a few seconds of an ant
constexpr const char* kReached = "goals_reached";  // of each episode, in a piece

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
  std::unique_ptr<Env> prototype;  // in which the expert walks
  std::unique_ptr<Env> shown;      // the same world as it is seen, where images are rendered afterwards; else null
  std::vector<Stretch> stretches;
  size_t train_pieces;

  size_t rows(size_t piece) const { return (stretches[piece].last - stretches[piece].first) * length; }
  size_t all_rows() const { return (train_episodes + val_episodes) * length; }
  std::string key() const { return work_of(recipe, train_episodes, options); }
};

EpisodeWork plan_episodes(const Recipe& recipe, const CollectOptions& options) {
  const size_t length = recipe.length + 1, train = options.episodes > 0 ? options.episodes : recipe.episodes;
  EpisodeWork work{.recipe = recipe,
                   .options = options,
                   .expert = expert_for(recipe.expert, options.expert),
                   .length = length,
                   .train_episodes = train,
                   .val_episodes = std::max<size_t>(1, train / 10),
                   .prototype = make_env(recipe.walked_in.empty() ? recipe.env : recipe.walked_in,
                                         {.terminate_at_goal = false, .max_episode_steps = static_cast<int>(length)}),
                   .shown = recipe.walked_in.empty() ? nullptr : make_env(recipe.env),
                   .stretches = {},
                   .train_pieces = 0};
  // or say at once what is missing
  recipe.behaviour == Behaviour::kPlay ? check_play(*work.prototype) : expect_maze(*work.prototype);
  const size_t most = std::max<size_t>(1, kPieceRows / length);
  cut(0, train, most, work.stretches);
  work.train_pieces = work.stretches.size();
  cut(train, train + work.val_episodes, most, work.stretches);
  return work;
}

// fills `rows`; returns how often a goal was reached
size_t run_episode(const EpisodeWork& work, Env& env, const Rng& rng, RowsView rows) {
  return work.recipe.behaviour == Behaviour::kPlay ? run_play(env, work.recipe.noise, rng, rows)
                                                   : run_expert(env, work.recipe, work.expert, rng, rows);
}

void make_piece(const EpisodeWork& work, Env& env, size_t piece, const fs::path& path,
                const std::function<void()>& episode_done) {
  const auto [first, last] = work.stretches[piece];
  Rows rows(*work.prototype, work.rows(piece));
  Array reached(DType::kInt64, {last - first});
  const Rng rng(work.options.seed);
  for (size_t i = first; i < last; ++i) {
    const RowsView view = rows.view((i - first) * work.length, work.length);
    reached.as<int64_t>()[i - first] = run_episode(work, env, rng.fork(i), view);
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

// by what a few rows take
Needs measure_needs(const EpisodeWork& work, const Pieces& pieces, const fs::path& path) {
  constexpr size_t kSample = 200;
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  Rows rows(*work.prototype, kSample);
  run_episode(work, *work.prototype->clone(), Rng(work.options.seed), rows.view(0, kSample));
  double row_bytes = 2.0 * static_cast<double>(rows.byte_size()) / kSample;  // in a piece, then in the file
  if (work.shown) {
    const size_t size = work.shown->spec().observation_size();
    std::vector<uint8_t> pixels(kSample * size);
    for (size_t i = 0; i < kSample; ++i)
      work.shown->images()->render(rows.observation(i), std::span(pixels).subspan(i * size, size));
    const auto bytes = static_cast<double>(deflated_size(std::as_bytes(std::span(pixels))));
    row_bytes += 1.2 * bytes / kSample;  // other places may be harder to compress
  }
  const double all = static_cast<double>(work.all_rows());
  const int threads = worker_count(work.stretches.size(), work.options.threads);
  Needs needs = {.disk = static_cast<uintmax_t>(all * row_bytes),
                 .seconds = all / kSample / threads * std::chrono::duration<double>(Clock::now() - start).count()};

  // pieces of work that was stopped are there already
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code failed;
  needs.free = work.options.disk ? *work.options.disk : fs::space(folder, failed).available;
  if (failed) needs.free = std::numeric_limits<uintmax_t>::max();
  needs.free += pieces.bytes();
  return needs;
}

void expect_room(const EpisodeWork& work, const Needs& needs, const fs::path& path) {
  if (needs.disk <= needs.free) return;
  throw Error(work.recipe.name, " with ", with_commas(work.train_episodes), " episodes takes about ",
              bytes_text(needs.disk), " at ", path.string(), ", where ", bytes_text(needs.free),
              " are free; make room, choose another folder ", "(--data_dir), or make fewer episodes (--episodes)");
}

CollectStats make_episodes(const Recipe& recipe, const fs::path& path, const CollectOptions& options,
                           const ProgressFn& progress) {
  const EpisodeWork work = plan_episodes(recipe, options);
  Pieces pieces(path, work.key(), Pieces::Owner::kWhole);
  const Needs needs = measure_needs(work, pieces, path);
  expect_room(work, needs, path);
  if (options.needs) options.needs(needs);

  // an image counts as much as a step
  const size_t images = work.shown ? work.all_rows() : 0;
  std::vector<size_t> all(work.stretches.size());
  std::iota(all.begin(), all.end(), size_t{0});
  make_pieces(work, pieces, all, [&](size_t done, size_t total) {
    if (progress) progress(done, total + images);
  });

  CollectStats stats = {.train_rows = work.train_episodes * work.length,
                        .val_rows = work.val_episodes * work.length,
                        .episodes = work.train_episodes + work.val_episodes};
  for (const size_t p : all) {
    const Array reached = NpzReader(pieces.path(p)).read(kReached);
    for (const int64_t goals : reached.as<int64_t>()) stats.goals_reached += goals;
  }

  // the whole appears at once, the validation file first
  std::optional<Painter> painter;
  if (work.shown) painter.emplace(*work.shown, options.threads);
  size_t done = work.all_rows();
  const auto painted = [&](size_t count) {
    done += count;
    if (progress) progress(done, work.all_rows() + images);
  };
  const std::vector<const char*> keys = Rows::keys(*work.prototype);
  pieces.join(work.train_pieces, all.size(), keys, validation_path(path), options.threads,
              painter ? &*painter : nullptr, painted);
  pieces.join(0, work.train_pieces, keys, path, options.threads, painter ? &*painter : nullptr, painted);
  pieces.remove();
  return stats;
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
  return recipe.behaviour == Behaviour::kRandom ? make_random_walk(recipe, path, options, progress)
                                                : make_episodes(recipe, path, options, progress);
}

PartStats make_dataset_part(const Recipe& recipe, const fs::path& path, const CollectOptions& options, Part part,
                            const ProgressFn& progress) {
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
