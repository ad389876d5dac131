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
  TrainLog(std::filesystem::path run, std::vector<std::string> columns, const std::vector<std::string>& finished,
           const std::string& current, int64_t step, bool tensorboard);
  ~TrainLog();

  // a value without a column is an internal error: a part must name what it logs (PartKind::columns)
  void write(const std::string& part, int64_t step, const std::map<std::string, double>& values);
  // all columns of a file, for the terms that the parts of a method log beside their loss
  static std::vector<std::string> columns(const std::vector<std::string>& terms);

 private:
  std::filesystem::path path_;
  std::vector<std::string> columns_;
  std::unique_ptr<EventFile> events_;
};

}  // namespace alps
