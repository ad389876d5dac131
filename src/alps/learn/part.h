// One trainable part of a run (representation, model, prior) as the training loop sees it: draw a batch and return its
// loss, do something after the optimizer's step, and at the end put the result into the model.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "alps/learn/networks.h"
#include "alps/learn/train_config.h"
#include "alps/learn/train_data.h"
#include "alps/nn/model.h"

namespace alps {

struct Loss {
  at::Tensor total;                                       // scalar
  std::vector<std::pair<std::string, at::Tensor>> terms;  // scalars for the log
};

struct PartContext {
  const TrainConfig& config;
  TrainData& data;
  Model& model;  // what was trained so far; finish() adds to it
  Rng rng;       // of this part
  at::Device device;
  int threads;
};

class Part {
 public:
  virtual ~Part() = default;
  virtual std::vector<NamedTensor> parameters() const = 0;       // trained by Adam
  virtual std::vector<NamedTensor> state() const { return {}; }  // what else a checkpoint keeps
  virtual Loss loss(const Split& split, Rng rng) = 0;            // of a batch drawn with rng
  virtual void after_step(double /*lr*/) {}                      // after each training step, on its batch
  virtual void finish() = 0;

  double sampling_seconds = 0;  // spent on drawing and gathering batches so far
};

// adds the time it lives to `total`
class Stopwatch {
 public:
  explicit Stopwatch(double& total) : total_(total), start_(std::chrono::steady_clock::now()) {}
  ~Stopwatch() { total_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  double& total_;
  std::chrono::steady_clock::time_point start_;
};

std::unique_ptr<Part> make_representation(const PartContext& context);
std::unique_ptr<Part> make_pclast(const PartContext& context);  // a representation too
std::unique_ptr<Part> make_forward_model(const PartContext& context);
std::unique_ptr<Part> make_prior(const PartContext& context);

}  // namespace alps
