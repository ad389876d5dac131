#include "alps/learn/train_log.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "alps/base/error.h"
#include "alps/base/file.h"
#include "alps/learn/event_file.h"

namespace alps {
namespace {

namespace fs = std::filesystem;

std::string header(const std::vector<std::string>& columns) {
  std::string line;
  for (const std::string& column : columns) line += (line.empty() ? "" : ",") + column;
  return line;
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.7g", value);
  return text;
}

}  // namespace

std::vector<std::string> TrainLog::columns(const std::vector<std::string>& terms) {
  std::vector<std::string> all = {"part", "step", "training/loss"};
  for (const std::string& term : terms) all.push_back("training/" + term);
  all.insert(all.end(), {"training/grad_norm", "training/lr", "validation/loss"});
  for (const std::string& term : terms) all.push_back("validation/" + term);
  all.insert(all.end(), {"time/step_time", "time/sampling_share", "time/total_time"});
  return all;
}

TrainLog::TrainLog(fs::path run, std::vector<std::string> columns, const std::vector<std::string>& finished,
                   const std::string& current, int64_t step, bool tensorboard)
    : path_(run / "train.csv"), columns_(std::move(columns)) {
  // keep what the state we go on from has really seen; a last line cut by a crash lacks columns and goes too
  std::string text = header(columns_) + "\n";
  if (fs::exists(path_)) {
    std::istringstream in(read_text(path_));
    std::string line;
    std::getline(in, line);
    const bool known = line == header(columns_);
    while (known && std::getline(in, line)) {
      std::istringstream cells(line);
      std::string part, count;
      std::getline(cells, part, ',');
      std::getline(cells, count, ',');
      const size_t commas = static_cast<size_t>(std::count(line.begin(), line.end(), ','));
      const bool done = std::find(finished.begin(), finished.end(), part) != finished.end();
      const bool before = part == current && std::strtoll(count.c_str(), nullptr, 10) <= step;
      if (commas + 1 == columns_.size() && (done || before)) text += line + "\n";
    }
  }
  write_text(path_, text);
  if (tensorboard) events_ = std::make_unique<EventFile>(run / "tensorboard");
}

TrainLog::~TrainLog() = default;

void TrainLog::write(const std::string& part, int64_t step, const std::map<std::string, double>& values) {
  for (const auto& [name, value] : values) ALPS_CHECK(std::ranges::count(columns_, name) == 1);
  std::string line = part + "," + std::to_string(step);
  for (size_t i = 2; i < columns_.size(); ++i) {
    const auto found = values.find(columns_[i]);
    line += ',';
    if (found != values.end()) line += number(found->second);
  }
  std::ofstream out(path_, std::ios::app);
  out << line << "\n";
  out.flush();
  if (!out) throw Error("cannot write ", path_.string(), ": ", std::strerror(errno));

  if (!events_) return;
  for (const auto& [name, value] : values) events_->write(part + "/" + name, step, value);
  events_->flush();
}

}  // namespace alps
