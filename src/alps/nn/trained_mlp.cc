#include "alps/nn/trained_mlp.h"

#include <algorithm>
#include <cmath>

#include "alps/base/simd.h"
#include "alps/nn/adam.h"

namespace alps {
namespace {

ALPS_CLONES void move_towards(float* values, const float* others, size_t size, float tau) {
  for (size_t i = 0; i < size; ++i) values[i] += tau * (others[i] - values[i]);
}

}  // namespace

TrainedMlp::TrainedMlp(std::vector<size_t> sizes, Rng& rng) : pass_(std::make_unique<Backprop>()) {
  ALPS_CHECK(sizes.size() >= 2);
  size_t count = 0;
  for (size_t i = 0; i + 1 < sizes.size(); ++i) {
    const size_t in = sizes[i], out = sizes[i + 1];
    layers_.push_back({in, out, count, count + in * out});
    count += in * out + out;
  }
  for (auto* list : {&values_, &first_, &second_}) list->assign(count, 0.0f);
  for (const Layer& layer : layers_) {
    const double limit = std::sqrt(6.0 / static_cast<double>(layer.inputs + layer.outputs));
    for (size_t k = layer.weight; k < layer.bias; ++k) values_[k] = static_cast<float>(rng.uniform(-limit, limit));
  }
}

float* TrainedMlp::start(size_t rows, int threads, Precision precision) {
  std::vector<Backprop::Layer> layers;
  for (const Layer& l : layers_) layers.push_back({&values_[l.weight], &values_[l.bias], l.inputs, l.outputs});
  rows_ = rows;
  pass_->start(std::move(layers), {}, rows, threads, precision);
  return pass_->input(0);
}

std::vector<float> TrainedMlp::gradient() const {
  std::vector<float> gradient(values_.size());
  Backprop::Gradients out;
  for (const Layer& l : layers_) {
    out.weights.push_back(&gradient[l.weight]);
    out.biases.push_back(&gradient[l.bias]);
  }
  pass_->gradients(out);
  return gradient;
}

double TrainedMlp::adam(double lr, double longest) {
  std::vector<float> slope = gradient();
  double square = 0;
  if (longest < std::numeric_limits<double>::infinity()) {
    for (const float g : slope) square += static_cast<double>(g) * g;
    const float factor = static_cast<float>(longest / std::max(std::sqrt(square), longest));
    if (factor < 1)
      for (float& g : slope) g *= factor;
  }
  const AdamScale step(lr, static_cast<double>(++steps_));
  adam_step(values_.data(), first_.data(), second_.data(), slope.data(), slope.size(), step.rate, step.scale);
  return std::sqrt(square);
}

void TrainedMlp::scale_output(float factor) {
  for (size_t k = layers_.back().weight; k < layers_.back().bias; ++k) values_[k] *= factor;
}

void TrainedMlp::begin_with(const Mlp& other) {
  ALPS_CHECK(other.layers().size() == layers_.size());
  for (size_t i = 0; i < layers_.size(); ++i) {
    const Linear& from = other.layers()[i];
    ALPS_CHECK(from.inputs() == layers_[i].inputs && from.outputs() == layers_[i].outputs);
    std::ranges::copy(from.weight(), &values_[layers_[i].weight]);
    std::ranges::copy(from.bias(), &values_[layers_[i].bias]);
  }
}

void TrainedMlp::follow(const TrainedMlp& other, float tau) {
  move_towards(values_.data(), other.values_.data(), values_.size(), tau);
}

Mlp TrainedMlp::mlp() const {
  const auto at = [this](size_t k) { return values_.begin() + static_cast<std::ptrdiff_t>(k); };
  std::vector<Linear> layers;
  for (const Layer& l : layers_)
    layers.emplace_back(l.inputs, l.outputs, std::vector<float>(at(l.weight), at(l.bias)),
                        std::vector<float>(at(l.bias), at(l.bias + l.outputs)));
  return Mlp(std::move(layers));
}

void TrainedMlp::store(Tensors& tensors, const std::string& prefix) const {
  tensors.arrays[prefix + ".values"] = Array::of<float>({values_.size()}, values_);
  tensors.arrays[prefix + ".first"] = Array::of<float>({first_.size()}, first_);
  tensors.arrays[prefix + ".second"] = Array::of<float>({second_.size()}, second_);
  tensors.arrays[prefix + ".steps"] = Array::of<int64_t>({1}, std::span(&steps_, 1));
}

void TrainedMlp::load(const Tensors& tensors, const std::string& prefix) {
  for (const auto& [list, name] : {std::pair(&values_, ".values"), {&first_, ".first"}, {&second_, ".second"}}) {
    const auto kept = tensors.at(prefix + name, DType::kFloat32, {list->size()}).as<float>();
    list->assign(kept.begin(), kept.end());
  }
  steps_ = tensors.at(prefix + ".steps", DType::kInt64, {1}).as<int64_t>()[0];
}

}  // namespace alps
