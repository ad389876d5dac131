// Training a run, from what a user asks for to a folder that is ready to plan with: where the data are, which settings
// hold (a run that goes on keeps those it was started with), training itself, and the regions of the map. Torch takes a
// third of a second to load, so training lives in a library beside the caller's (libalps_learn.so) that is opened here,
// when it really starts.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "alps/learn/trainer.h"

namespace alps {

struct TrainRequest {
  std::string data;              // a name, or a file.npz
  std::string data_dir, out;     // empty: ~/.ogbench/data, runs/NAME-sSEED
  std::string preset, method;    // empty: fast and allo, or what the run was started with
  std::vector<std::string> set;  // key=value of TrainConfig
  std::optional<uint64_t> seed;  // these four: 0, auto, fp32, all cores; or what the run was started with
  std::optional<std::string> device, precision;
  std::optional<int> threads;
  TrainOptions options;  // resume, only, tensorboard, versions and the callbacks; the rest is filled in
};

struct TrainedRun {
  std::filesystem::path folder;
  TrainConfig config;
  TrainReport report;
};

TrainedRun train_run(TrainRequest request);

}  // namespace alps
