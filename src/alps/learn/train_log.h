// RUN/train.csv: one row per `log_every` steps, with OGBench's kind of columns (training/..., validation/..., time/...,
// step) and the part they belong to; a cell without a value is empty. After an interruption the rows past the
// checkpoint are cut off. Optionally the same numbers as TensorBoard events under RUN/tensorboard.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace alps {

class EventFile;

class TrainLog {
 public:
  // keeps rows of finished parts and, of part `current`, those up to `step`
  TrainLog(std::filesystem::path run, const std::vector<std::string>& finished, const std::string& current,
           int64_t step, bool tensorboard);
  ~TrainLog();

  void write(const std::string& part, int64_t step, const std::map<std::string, double>& values);
  static const std::vector<std::string>& columns();

 private:
  std::filesystem::path path_;
  std::unique_ptr<EventFile> events_;
};

}  // namespace alps
