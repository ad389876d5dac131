// A small network that is being trained without torch: ReLU layers, their gradients (backprop.h) and Adam. Used where a
// whole training needs nothing else, such as that of an expert. Results do not depend on the number of threads.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "alps/base/rng.h"
#include "alps/nn/backprop.h"
#include "alps/nn/mlp.h"

namespace alps {

class TrainedMlp {
 public:
  TrainedMlp() = default;
  // inputs, hidden sizes, outputs; weights uniform with variance 2 / (inputs + outputs) (Glorot), biases zero
  TrainedMlp(std::vector<size_t> sizes, Rng& rng);

  size_t inputs() const { return layers_.front().inputs; }
  size_t outputs() const { return layers_.back().outputs; }

  // a step: the input of `rows` rows, forward, backward (see Backprop), and Adam with the gradients of that pass
  float* start(size_t rows, int threads = 1, Precision precision = Precision::kFp32);
  void forward(float* out) { pass_->forward(0, rows_, out); }
  void backward(const float* out_gradient, float* in_gradient, Backprop::Of of = Backprop::Of::kAll) {
    pass_->backward(0, rows_, out_gradient, in_gradient, of);
  }
  // a longer gradient than `longest` is shortened to it; returns its length
  double adam(double lr, double longest = std::numeric_limits<double>::infinity());

  // the last layer's weights times `factor`, so that a policy begins with answers near zero
  void scale_output(float factor);
  // the weights of a finished network of the same shape, to go on learning from
  void begin_with(const Mlp& other);
  // weights := (1 - tau) weights + tau other's
  void follow(const TrainedMlp& other, float tau);

  const std::vector<float>& values() const { return values_; }
  std::vector<float> gradient() const;  // of the last pass, as values()
  Mlp mlp() const;

  // weights and Adam's moments, PREFIX.values, PREFIX.first, PREFIX.second, PREFIX.steps
  void store(Tensors& tensors, const std::string& prefix) const;
  void load(const Tensors& tensors, const std::string& prefix);

 private:
  struct Layer {
    size_t inputs, outputs, weight, bias;  // places in values_
  };
  std::vector<Layer> layers_;
  std::vector<float> values_, first_, second_;  // all weights and biases in a row, and their moments
  int64_t steps_ = 0;
  size_t rows_ = 0;
  std::unique_ptr<Backprop> pass_;
};

}  // namespace alps
