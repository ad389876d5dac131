#include "alps/collect/random_walk.h"

#include <cmath>

#include "alps/base/npz.h"
#include "alps/collect/rows.h"
#include "alps/data/dataset.h"
#include "alps/world/catalog.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

constexpr size_t kWalkUnit = 1000;  // steps that one --episodes stands for

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

}  // namespace

CollectStats make_random_walk(const Recipe& recipe, const fs::path& path, const CollectOptions& options,
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
    Painter painter(*shown, options.threads);
    val.save_images(val_file, painter);
    train.save_images(train_file, painter);
  } else {
    val.save(val_file);
    train.save(train_file);
  }
  if (progress) progress(train.count(), train.count());
  return {.train_rows = train.count(), .val_rows = val.count()};
}

}  // namespace alps
