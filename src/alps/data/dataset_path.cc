// Where the files of a data set are, from what a user calls it.
#include <algorithm>

#include "alps/base/error.h"
#include "alps/base/file.h"
#include "alps/base/shell_quoted.h"
#include "alps/data/dataset.h"
#include "alps/data/many_files.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

// a file or folder in a layout that `alps data import` reads
bool is_importable(const fs::path& path) {
  if (fs::is_regular_file(path)) return true;
  for (const char* sign : {"meta/info.json", "metadata.json", "data/metadata.json"})
    if (fs::exists(path / sign)) return true;
  if (!fs::is_directory(path) || fs::exists(path / "config.json")) return false;  // a run has .csv files, too
  return std::ranges::any_of(fs::directory_iterator(path),
                             [](const auto& entry) { return entry.path().extension() == ".csv"; });
}

// OGBench's names of single tasks mean the same data: "x-singletask-task2-v0" -> "x-v0"
std::string without_singletask(const std::string& name) {
  const size_t at = name.find("-singletask");
  return at == std::string::npos ? name : name.substr(0, at) + name.substr(std::max(at, name.rfind('-')));
}

}  // namespace

fs::path default_data_dir() { return home_folder() / ".ogbench/data"; }

fs::path dataset_path(const std::string& name_or_file, const fs::path& data_dir) {
  std::string wanted = name_or_file;
  while (wanted.size() > 1 && wanted.ends_with('/')) wanted.pop_back();
  const fs::path given = expand_user(wanted);
  if (wanted.ends_with(".npz")) return given;
  const fs::path folder = data_dir.empty() ? default_data_dir() : expand_user(data_dir);
  for (const std::string& name : {wanted, without_singletask(wanted)}) {
    if (fs::exists(folder / (name + ".npz"))) return folder / (name + ".npz");
    if (is_many_files(folder / name)) return folder / name;
  }
  if (is_many_files(given)) return given;
  if (is_importable(given))
    throw UsageError(given.string(), ": is neither an .npz nor a folder of them; make one with: alps data import ",
                     shell_quoted(given.string()), " --out ", shell_quoted(given.stem().string() + ".npz"));
  return folder / (without_singletask(wanted) + ".npz");
}

fs::path validation_path(const fs::path& path) {
  // of many files the first one's is enough
  const fs::path file = fs::is_directory(path) ? files_of(path).front() : path;
  return fs::path(file).replace_filename(file.stem().string() + "-val.npz");
}

}  // namespace alps
