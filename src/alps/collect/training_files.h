// What a training of an expert leaves beside its weights PATH: PATH.checkpoint, from which a killed training goes on
// exactly, and PATH.csv, its curve. Shared by the trainings of all bodies.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "alps/base/safetensors.h"

namespace alps {

class TrainingFiles {
 public:
  // `columns`: the curve's, separated by commas; the first is the step
  TrainingFiles(std::filesystem::path path, std::string columns);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path checkpoint() const { return path_.string() + ".checkpoint"; }
  std::filesystem::path curve() const { return path_.string() + ".csv"; }

  // whether to go on from the checkpoint; throws if there is one and no `resume`, or none with it
  bool goes_on(bool resume) const;
  // the checkpoint; throws if it was begun with other settings
  Tensors read(const std::string& settings) const;
  void write(Tensors tensors, const std::string& settings) const;
  void remove_checkpoint() const;

  void begin_curve() const;
  void cut_curve(int64_t step) const;  // lines past the checkpoint will come again
  void add_line(std::span<const double> values) const;

 private:
  std::filesystem::path path_;
  std::string columns_;
};

double seconds_now();

}  // namespace alps
