// Makes data sets as OGBench's were made (its published procedure): an expert follows an oracle's directions
// through the maze with noise on its actions, or walks at random; and PcLast's uniform random walk in Maze2D. Episode i
// draws from its own random stream, so a seed gives the same file whatever the number of threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "alps/base/progress.h"
#include "alps/collect/expert.h"
#include "alps/collect/recipe.h"
#include "alps/world/env.h"

namespace alps {

// what making a data set takes, found by making a few rows
struct Needs {
  uintmax_t disk = 0;  // bytes, of the finished pieces and the files together
  uintmax_t free = 0;  // bytes that are free there, finished pieces counted in
  double seconds = 0;
};

struct CollectOptions {
  int episodes = 0;  // of training; 0: the recipe's (for a random walk: thousands of steps, 0 for all)
  uint64_t seed = 0;
  int threads = 0;                          // 0: all cores
  std::filesystem::path expert;             // other weights than those in experts/
  std::function<void(const Needs&)> needs;  // told before the work begins (of data that are one walk: nothing)
  std::optional<uintmax_t> disk;            // the bytes that are free; left out, the file system says it
};

// share `index` of `count` of the work, from 1
struct Part {
  int index = 1, count = 1;
};
Part parse_part(const std::string& text);  // "2/8"; UsageError for anything else

struct CollectStats {
  size_t train_rows = 0, val_rows = 0;
  size_t episodes = 0;       // of both
  size_t goals_reached = 0;  // times an expert reached its goal, over all episodes
};

// Writes `path` and its -val.npz, each atomically, the validation file first; finished pieces of an expert's data wait
// in `path`.making, and work that was stopped goes on from them to the same files. Throws Error before it begins where
// the disk is too small. Images are rendered when the pieces are joined, so pieces hold numbers only.
CollectStats make_dataset(const Recipe& recipe, const std::filesystem::path& path, const CollectOptions& options,
                          const ProgressFn& progress = {});

struct PartStats {
  size_t pieces = 0, rows = 0;  // of this part; none where a data set is one walk, which cannot be shared out
  bool joined = false;          // meanwhile another process has made the whole
};

// Makes the pieces of one part only and leaves them in `path`.making. Parts may run at the same time on machines that
// share the folder; make_dataset then joins them, to the same bytes as if one process had made all.
PartStats make_dataset_part(const Recipe& recipe, const std::filesystem::path& path, const CollectOptions& options,
                            Part part, const ProgressFn& progress = {});

}  // namespace alps
