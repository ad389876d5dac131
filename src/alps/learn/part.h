// One trainable part of a method (a representation, a forward model, an actor ...) as the training loop sees it. A part
// owns its networks, target networks, optimizers and samplers; it has its own settings, its own columns of train.csv,
// and leaves named networks in the bundle. Most parts have one loss and one Adam: LossPart.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "alps/base/profile.h"
#include "alps/data/survey.h"
#include "alps/learn/adam.h"
#include "alps/learn/course.h"
#include "alps/learn/networks.h"
#include "alps/learn/train_data.h"
#include "alps/nn/bundle.h"

namespace alps {

struct PartContext {
  const Profile& profile;  // the settings of the run
  TrainData& data;
  Bundle& bundle;  // what was trained so far; finish() adds to it
  Rng rng;         // of this part
  Compute compute;
};

// scalars for the log by name; "loss" is the first
using Terms = std::vector<std::pair<std::string, double>>;

class Part {
 public:
  virtual ~Part() = default;
  virtual Schedule schedule() const = 0;
  // gradients of a batch drawn with rng; no weight changes. The loss must be finite before update() is called.
  virtual Terms gradients(const Split& split, Rng rng) = 0;
  virtual double grad_norm() const = 0;
  virtual void update(double lr) = 0;  // the optimizers' step, on what gradients() left
  // the same terms on held-out data, without gradients; empty where there is nothing to measure
  virtual Terms validate(const Split& split, Rng rng) = 0;
  virtual std::vector<NamedTensor> state() const = 0;  // all that an interrupted training needs to go on
  virtual void finish() = 0;                           // puts the networks into the bundle

  double sampling_seconds = 0;  // spent on drawing and gathering batches so far
};

struct Loss {
  at::Tensor total;                                       // scalar; undefined: nothing to measure
  std::vector<std::pair<std::string, at::Tensor>> terms;  // scalars for the log
};

// a part with one loss and one Adam
class LossPart : public Part {
 public:
  Terms gradients(const Split& split, Rng rng) override;
  double grad_norm() const override { return adam_->grad_norm(); }
  void update(double lr) override;
  Terms validate(const Split& split, Rng rng) override;
  std::vector<NamedTensor> state() const override;

 protected:
  explicit LossPart(const PartContext& context) : context_(context) {}
  virtual std::vector<NamedTensor> parameters() const = 0;  // trained by Adam
  virtual std::vector<NamedTensor> more_state() const { return {}; }
  virtual Loss loss(const Split& split, Rng rng) = 0;
  virtual void after_step(double /*lr*/) {}

  const PartContext context_;

 private:
  Adam& adam() const;
  mutable std::optional<Adam> adam_;
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

}  // namespace alps
