// A data set in many files: a folder of NAME-000.npz, NAME-001.npz, ..., as OGBench's sets of 100 million rows are.
// Every file is a data set of its own, with whole episodes; their rows follow each other in the order of the names.
// Files that end in -val.npz are for validation. Observations are held as long as there is memory, the rest is read
// from disk.
#pragma once

#include <filesystem>
#include <vector>

#include "alps/data/dataset.h"

namespace alps {

// whether a folder holds such files (and is not the folder of a run)
bool is_many_files(const std::filesystem::path& path);

// the files of a data set in order: those of a folder, or the one file
std::vector<std::filesystem::path> files_of(const std::filesystem::path& path);

// every file loaded with its checks, then joined; nothing is cut
Dataset load_many_files(const std::filesystem::path& folder, const DatasetOptions& options);

}  // namespace alps
