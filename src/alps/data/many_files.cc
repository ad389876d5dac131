#include "alps/data/many_files.h"

#include <algorithm>
#include <utility>

#include "alps/base/error.h"
#include "alps/base/hash.h"
#include "alps/base/interrupt.h"
#include "alps/base/memory.h"
#include "alps/base/npz.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

bool is_piece(const fs::directory_entry& entry) {
  return entry.is_regular_file() && entry.path().extension() == ".npz" &&
         !entry.path().stem().string().ends_with("-val");
}

// rows of all pieces after each other, which give theirs up; empty if a piece has none
Array stacked(std::vector<Dataset>& pieces, Array Dataset::*member) {
  size_t rows = 0;
  for (const Dataset& piece : pieces) {
    if ((piece.*member).size() == 0 || (piece.*member).row_size() != (pieces[0].*member).row_size()) return {};
    rows += (piece.*member).rows();
  }
  Array all(DType::kFloat32, {rows, (pieces[0].*member).row_size()});
  auto at = all.as<float>().begin();
  for (Dataset& piece : pieces) {
    const Array rows = std::exchange(piece.*member, Array());
    at = std::ranges::copy(rows.as<float>(), at).out;
  }
  return all;
}

// bytes of qpos and qvel in all files
size_t state_bytes(const std::vector<fs::path>& files) {
  size_t bytes = 0;
  for (const fs::path& file : files) {
    const NpzReader reader(file);
    for (const char* key : {"qpos", "qvel"})
      if (reader.has(key)) bytes += reader.info(key).byte_size();
  }
  return bytes;
}

void expect_same(const Dataset& first, const Dataset& piece) {
  if (piece.observation_shape != first.observation_shape || piece.image() != first.image() ||
      piece.action_size() != first.action_size())
    throw Error(piece.path.string(), ": has observations ", shape_text(piece.observation_shape), " and ",
                piece.action_size(), " columns of actions, but ", first.path.filename().string(), " has ",
                shape_text(first.observation_shape), " and ", first.action_size(),
                "; the files of a folder must be pieces of one data set");
}

}  // namespace

bool is_many_files(const fs::path& path) {
  std::error_code failed;
  if (!fs::is_directory(path, failed) || fs::exists(path / "config.json", failed)) return false;
  return std::ranges::any_of(fs::directory_iterator(path, failed), is_piece);
}

std::vector<fs::path> files_of(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path))
    if (is_piece(entry)) files.push_back(entry.path());
  std::ranges::sort(files);
  if (files.empty()) throw Error(path.string(), ": no .npz file is in this folder; a data set in many files has some");
  return files;
}

Dataset load_many_files(const fs::path& folder, const DatasetOptions& options) {
  const std::vector<fs::path> files = files_of(folder);
  DatasetOptions each = options;
  each.cuts = {};
  if (each.memory == 0) each.memory = memory_for_data();
  Dataset all;
  all.path = folder;
  const size_t state = options.state ? state_bytes(files) : 0;
  if (state > each.memory) {
    each.state = false;
    all.warnings.push_back(str(folder.string(), ": qpos and qvel take ", bytes_text(state),
                               ", more than may be held in memory; they are left out"));
  }

  std::vector<Dataset> pieces;
  std::vector<ObservationRows> rows;
  std::vector<size_t> counts;
  std::string crc32s;
  for (const fs::path& file : files) {
    throw_if_interrupted();
    Dataset& piece = pieces.emplace_back(load_dataset(file, each));
    expect_same(pieces[0], piece);
    each.memory -= std::min(each.memory - 1, piece.observations.memory());
    size_t first = 0;
    for (const size_t count : counts) first += count;
    for (const Episode& e : piece.episodes) all.episodes.push_back({first + e.first, first + e.last});
    counts.push_back(piece.rows());
    rows.push_back(std::exchange(piece.observations, {}));
    all.bytes += piece.bytes;
    crc32s += piece.crc32;
    std::ranges::move(piece.warnings, std::back_inserter(all.warnings));
  }
  all.crc32 = hash_name(crc32s).substr(0, 8);
  all.observation_shape = pieces[0].observation_shape;
  all.observation_dtype = pieces[0].observation_dtype;
  all.observations = ObservationRows::joined(std::move(rows), counts);
  all.actions = stacked(pieces, &Dataset::actions);
  all.qpos = stacked(pieces, &Dataset::qpos);
  all.qvel = stacked(pieces, &Dataset::qvel);
  return all;
}

}  // namespace alps
