// A data set of past trajectories in OGBench's layout: one .npz with observations (n, d) float32 or images (n, h, w, c)
// uint8, actions (n, a) float32, terminals (n) bool, and optionally qpos, qvel. Rows of all episodes follow each other;
// the last row of an episode has terminals = 1 and holds its final state. A folder of such files is a data set, too
// (data/many_files.h). Loaded data sets are immutable.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "alps/base/array.h"
#include "alps/data/rows.h"

namespace alps {

struct Episode {
  size_t first = 0, last = 0;  // rows, both included; last - first transitions
  size_t rows() const { return last - first + 1; }
};

struct Dataset {
  std::filesystem::path path;
  uintmax_t bytes = 0;      // of the file, or of all files
  std::string crc32;        // equal for files with the same arrays (NpzReader::contents_crc32)
  Shape observation_shape;  // of one row: (29) or (64, 64, 3)
  DType observation_dtype = DType::kFloat32;
  ObservationRows observations;  // in memory or on disk (data/rows.h); no rows if they were left unopened
  Array actions;                 // float32
  Array qpos, qvel;              // float32; empty where the file has none
  std::vector<Episode> episodes;
  std::vector<size_t> leaps;          // rows after which the state leaps and an episode was cut (Cuts)
  std::vector<std::string> warnings;  // what looks odd but can be used

  size_t rows() const { return actions.rows(); }
  size_t transitions() const { return rows() - episodes.size(); }
  size_t observation_size() const { return element_count(observation_shape); }
  size_t action_size() const { return actions.row_size(); }
  bool image() const { return observation_dtype == DType::kUInt8; }
};

// what is not ordinary motion
struct Cuts {
  double jump_factor = 0;  // cut episodes at leaps (data/jumps.h); 0: leave them
  double still_share = 0;  // leave out stretches without motion (data/stillness.h); 0: leave them in
};

struct DatasetOptions {
  bool observations = true;  // false: check them in one pass and leave them unopened
  bool state = true;         // read qpos and qvel too
  Cuts cuts;                 // of states; images are never cut
  size_t memory = 0;         // bytes of observations that may be held in memory; 0: two fifths of it (base/memory.h)
  int threads = 0;
};

// Reads and checks; every error names file, key and row, and says what to do.
Dataset load_dataset(const std::filesystem::path& path, DatasetOptions options = {});

// Cuts the episodes of a data set whose observations are open: at leaps, then without stillness. Says what it did in
// `warnings`. Images are never cut. load_dataset() does this if its options ask for it; whoever has to look at the data
// before the cuts are known loads without them and cuts later.
void cut_episodes(Dataset& data, const Cuts& cuts);

// "antmaze-large-stitch-v0" -> ~/.ogbench/data/antmaze-large-stitch-v0.npz (or under data_dir), or the folder of that
// name there; a path ending in .npz, or a folder of such files, is returned as it is. "x-singletask-task1-v0" is
// "x-v0".
std::filesystem::path dataset_path(const std::string& name_or_file, const std::filesystem::path& data_dir = {});
std::filesystem::path default_data_dir();
// "x/NAME.npz" -> "x/NAME-val.npz"; of a folder the first file's
std::filesystem::path validation_path(const std::filesystem::path& path);

}  // namespace alps
