#include "alps/collect/training_files.h"

#include <chrono>
#include <cstdlib>
#include <fstream>

#include "alps/base/error.h"
#include "alps/base/file.h"

namespace fs = std::filesystem;

namespace alps {

TrainingFiles::TrainingFiles(fs::path path, std::string columns)
    : path_(std::move(path)), columns_(std::move(columns)) {}

bool TrainingFiles::goes_on(bool resume) const {
  const bool begun = fs::exists(checkpoint());
  if (begun && !resume)
    throw Error(checkpoint().string(), " holds an unfinished training; --resume goes on with it, or remove it");
  if (resume && !begun) throw Error("there is no ", checkpoint().string(), " to resume");
  return resume;
}

Tensors TrainingFiles::read(const std::string& settings) const {
  Tensors tensors = read_safetensors(checkpoint());
  if (tensors.text("settings") != settings)
    throw Error(checkpoint().string(), ": was begun with ", tensors.text("settings"), ", not with ", settings,
                "; resume it with those, or remove it");
  return tensors;
}

void TrainingFiles::write(Tensors tensors, const std::string& settings) const {
  tensors.metadata["settings"] = settings;
  write_safetensors(checkpoint(), tensors);
}

void TrainingFiles::remove_checkpoint() const { fs::remove(checkpoint()); }

void TrainingFiles::begin_curve() const { write_text(curve(), columns_ + "\n"); }

void TrainingFiles::cut_curve(int64_t step) const {
  std::ifstream in(curve());
  std::string kept, line;
  while (std::getline(in, line))
    if (line.starts_with("step") || std::atoll(line.c_str()) <= step) kept += line + "\n";
  in.close();
  write_text(curve(), kept);
}

void TrainingFiles::add_line(std::span<const double> values) const {
  std::ofstream out(curve(), std::ios::app);
  out << static_cast<int64_t>(values[0]);
  for (const double v : values.subspan(1)) out << ',' << v;
  out << '\n';
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace alps
