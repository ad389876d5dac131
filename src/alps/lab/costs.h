// What runs cost before they begin: core-minutes of making a data set, of a training, of an episode, by rows of
// reproduce/costs.csv:
//
//   task,data_set,method,variant,preset,steps,core_minutes,source
//   data,antmaze-medium-navigate-v0,,,,,5.1,...
//   train,antmaze-medium-navigate-v0,alps,,fast,69000,7.8,...      steps: of all parts together
//   episode,antmaze-medium-navigate-v0,alps,alps,fast,,0.02,...
//   regions,antmaze-medium-navigate-v0,,,,,0.1,...                 finding another number of clusters
//
// What was not measured is estimated from the nearest row: first the same body, then the same preset, method and
// variant, then a similar number of rows. Making data scales with the rows, training with its steps.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "alps/lab/sweep.h"

namespace alps {

struct CostRow {
  std::string task, data_set, method, variant, preset;
  double steps = 0;  // 0: not told
  double core_minutes = 0;
};

struct Cost {
  double core_minutes = 0;
  bool estimated = false;  // not measured on this data set
};

class Costs {
 public:
  explicit Costs(const std::filesystem::path& file);  // Error for a damaged one

  Cost data(const RunSpec& run) const;
  Cost training(const RunSpec& run) const;
  Cost evaluation(const RunSpec& run, const EvalSpec& eval, int tasks) const;

 private:
  // the nearest row of a task, and whether it is of the same kind; Error where there is none
  std::pair<const CostRow*, bool> nearest(const char* task, const RunSpec& run, const std::string& variant,
                                          const std::string& preset) const;
  std::filesystem::path file_;
  std::vector<CostRow> rows_;
};

// of one kind of task, added up
struct CostLine {
  std::string kind;  // "make data", "train", "evaluate"
  size_t tasks = 0;
  double core_minutes = 0;
  size_t estimated = 0;  // tasks
};

}  // namespace alps
