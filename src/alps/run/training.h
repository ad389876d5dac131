// Training a run, from what a user asks for to a folder that is ready to plan with: where the data are, what they tell
// about themselves, which settings follow (run/profiles.h; a run that goes on keeps those it was started with),
// training itself (learn/), and the regions of the map. The data are read once.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "alps/learn/trainer.h"
#include "alps/run/run_config.h"

namespace alps {

struct TrainRequest {
  std::string data;              // a name, or a file.npz
  std::string data_dir, out;     // empty: ~/.ogbench/data, runs/NAME-sSEED
  std::string preset, method;    // empty: fast and alps, or what the run was started with
  std::vector<std::string> set;  // key=value of any setting
  std::optional<uint64_t> seed;  // seed, device, precision, threads: 0, auto, auto, all cores; or those of the run
  std::optional<std::string> device, precision;
  std::optional<int> threads;
  bool resume = false;     // go on with the run in the folder
  bool overwrite = false;  // forget the run in the folder
  std::string only;        // a part to train anew, the others stay; empty: all that are missing
  double minutes = 0;      // for all parts together, if more would pay; 0: no limit
  bool tensorboard = false;
  std::map<std::string, std::string> versions;  // for config.json

  // called from the training thread
  std::function<void(const std::string& part, int64_t step, int64_t steps, const std::string& note)> progress;
  std::function<bool()> stop;  // true: save a checkpoint and throw Interrupted
  std::function<void(const std::string& line)> say;
};

struct TrainedRun {
  std::filesystem::path folder;
  RunConfig config;
  TrainReport report;
};

TrainedRun train_run(const TrainRequest& request);

// what train_run would train with: every setting, its origin and reason; nothing is written
RunConfig explain_run(const TrainRequest& request);

// the settings of a method as a preset gives them for an ant, for --help
Profile typical_profile(const std::string& method, const std::string& preset);

}  // namespace alps
