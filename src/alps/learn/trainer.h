// The training loop: the parts of a method, one after the other, into a run folder.
//   RUN/model.safetensors      the networks trained so far (nn/bundle.h), rewritten when a part is done
//   RUN/checkpoint.safetensors the part in the middle of its training; gone when it is done
//   RUN/train.csv              losses
// The loop knows parts (learn/part.h), never their names. Torch stays behind this header.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "alps/base/profile.h"

namespace alps {

struct Method;
struct TrainData;

struct TrainOptions {
  std::filesystem::path run;  // the folder, locked by the caller
  Profile profile;            // every setting, resolved
  uint64_t seed = 0;
  std::string device = "cpu";      // cpu, cuda
  std::string precision = "fp32";  // fp32, or bf16 with fp32 weights
  int threads = 1;
  bool resume = false;  // go on with what the folder holds
  std::string only;     // a part to train anew, the others stay; empty: all that are missing
  double minutes = 0;   // for all parts together, if more would pay; 0: no limit
  bool tensorboard = false;
  std::map<std::string, std::string> metadata;  // for model.safetensors
  std::string resume_command;                   // told when training is interrupted

  // called from the training thread
  // after each part, trained or kept, whose networks are in RUN now: settings of later parts that follow from them
  std::function<void(const std::string& part, Profile& profile)> measured;
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
};

// Leaves torch's number of threads as it found it.
TrainReport train(const Method& method, TrainData& data, const TrainOptions& options);

// what options.device and .precision mean on this machine: "auto" resolved, what is not there refused
std::string resolve_device(const std::string& asked);
std::string resolve_precision(const std::string& asked, const std::string& device);

}  // namespace alps
