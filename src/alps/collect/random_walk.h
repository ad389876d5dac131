// PcLast's data in Maze2D: one uniform random walk for training, another for validation.
#pragma once

#include <filesystem>

#include "alps/collect/collect.h"

namespace alps {

// writes `path` and its -val.npz, each atomically, the validation file first
CollectStats make_random_walk(const Recipe& recipe, const std::filesystem::path& path, const CollectOptions& options,
                              const ProgressFn& progress);

}  // namespace alps
