// Training a run folder from a data set: the representation, the forward model and the prior, one after the other.
//   RUN/config.json            the resolved settings, versions and data set
//   RUN/model.safetensors      the parts trained so far (nn/model.h), rewritten when a part is done
//   RUN/checkpoint.safetensors the part in the middle of its training; gone when it is done
//   RUN/train.csv              losses
// Torch stays behind this header: the library of this room is loaded by the program only when it trains (alps_train).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "alps/learn/train_config.h"

namespace alps {

struct TrainOptions {
  std::filesystem::path data;  // the .npz
  std::filesystem::path run;   // the folder
  TrainConfig config;
  uint64_t seed = 0;
  std::string device = "auto";     // auto, cpu, cuda
  std::string precision = "auto";  // fp32, bf16 (with fp32 weights); auto: bf16 where our kernels compute in it
  int threads = 0;                 // 0: all cores
  bool resume = false;             // go on with what the folder holds
  std::string only;                // a part to train anew, the others stay; empty: all that are missing
  bool tensorboard = false;
  std::map<std::string, std::string> versions;  // for config.json

  // called from the training thread
  std::function<void(const std::string& part, int64_t step, int64_t steps, const std::string& note)> progress;
  std::function<bool()> stop;  // true: save a checkpoint and throw Interrupted
  std::function<void(const std::string& line)> say;
};

struct PartReport {
  std::string part;
  int64_t steps = 0;
  double seconds = 0, finish_seconds = 0, sampling_share = 0;
  double training_loss = 0, validation_loss = 0;  // at the end; the latter NaN without validation data
  bool reused = false;
};

struct TrainReport {
  std::vector<PartReport> parts;
  std::vector<float> eigenvalues, eigenvalues_duals;
};

TrainReport train(const TrainOptions& options);

}  // namespace alps

// The entry that the program finds in the shared library of this room.
extern "C" void alps_train(const alps::TrainOptions& options, alps::TrainReport& report);
