#include "alps/learn/networks.h"

#include <ATen/autocast_mode.h>

#include <cmath>

namespace alps {

at::Tensor start_values(at::IntArrayRef shape, double fan_in, Rng& rng, at::Device device) {
  const double bound = 1.0 / std::sqrt(fan_in);
  std::vector<float> values(c10::multiply_integers(shape));
  for (float& value : values) value = static_cast<float>(rng.uniform(-bound, bound));
  return to_tensor(values, shape, device).set_requires_grad(true);
}

Linear to_linear(const at::Tensor& weight, const at::Tensor& bias) {
  const size_t outputs = weight.size(0);
  return Linear(weight.numel() / outputs, outputs, to_floats(weight), to_floats(bias));
}

at::Tensor to_tensor(std::span<const float> values, at::IntArrayRef shape, at::Device device) {
  at::Tensor tensor = at::empty(shape, at::kFloat);
  ALPS_CHECK(static_cast<size_t>(tensor.numel()) == values.size());
  std::copy(values.begin(), values.end(), tensor.data_ptr<float>());
  return tensor.to(device);
}

std::vector<float> to_floats(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.detach().to(at::kCPU, at::kFloat).contiguous();
  return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
}

Network::Network(const NetworkShape& shape, Rng rng, const Compute& compute) : compute_(compute), gelu_(shape.gelu) {
  const at::Device device = compute.device;
  for (int i = 0; i < shape.layers; ++i) {
    const bool last = i + 1 == shape.layers;
    const int64_t inputs = i == 0 ? static_cast<int64_t>(shape.inputs) : shape.width;
    const int64_t outputs = last ? static_cast<int64_t>(shape.outputs) : shape.width;
    // a third of its square is the variance of what is uniform in +-bound
    const double glorot = static_cast<double>(inputs + outputs) / 6 / (last ? shape.last : 1);
    weights_.push_back(start_values({outputs, inputs}, gelu_ ? glorot : static_cast<double>(inputs), rng, device));
    biases_.push_back(gelu_ ? at::zeros({outputs}, device).set_requires_grad(true)
                            : start_values({outputs}, static_cast<double>(inputs), rng, device));
  }
  for (int i = 0; shape.norm && i < (gelu_ ? shape.layers - 1 : 1); ++i) {
    gains_.push_back(at::ones({shape.width}, device).set_requires_grad(true));
    shifts_.push_back(at::zeros({shape.width}, device).set_requires_grad(true));
  }
}

Network::Network(const Mlp& mlp, const Compute& compute) : compute_(compute), gelu_(mlp.has_gelu()) {
  const at::Device device = compute.device;
  for (const Linear& layer : mlp.layers()) {
    const int64_t inputs = static_cast<int64_t>(layer.inputs()), outputs = static_cast<int64_t>(layer.outputs());
    weights_.push_back(to_tensor(layer.weight(), {outputs, inputs}, device));
    biases_.push_back(to_tensor(layer.bias(), {outputs}, device));
  }
  std::vector<LayerNorm> norms = mlp.norms();
  if (!mlp.norm_gain().empty()) norms = {{mlp.norm_gain(), mlp.norm_bias()}};
  for (const LayerNorm& norm : norms) {
    const int64_t width = static_cast<int64_t>(norm.gain.size());
    gains_.push_back(to_tensor(norm.gain, {width}, device));
    shifts_.push_back(to_tensor(norm.bias, {width}, device));
  }
}

at::Tensor Network::hidden(at::Tensor x) const {
  for (size_t i = 0; i + 1 < weights_.size(); ++i) {
    x = at::linear(x, weights_[i], biases_[i]);
    if (gelu_) {
      x = at::gelu(x, "tanh");
      if (!gains_.empty()) x = at::layer_norm(x, {x.size(-1)}, gains_[i], shifts_[i], 1e-6);
    } else if (i == 0 && !gains_.empty()) {
      x = at::layer_norm(x, {x.size(-1)}, gains_[0], shifts_[0]).tanh();
    } else {
      x = x.relu();
    }
  }
  return x;
}

bool Network::fused() const { return weights_.front().is_cpu() && !at::autocast::is_autocast_enabled(at::kCPU); }

FusedNetwork Network::parts() const {
  FusedNetwork network{.parameters = {},
                       .norms = static_cast<int>(gains_.size()),
                       .gelu = gelu_,
                       .threads = compute_.threads,
                       .precision = compute_.precision};
  for (const NamedTensor& parameter : parameters("")) network.parameters.push_back(parameter.value);
  return network;
}

at::Tensor Network::forward(const at::Tensor& x) const {
  if (fused()) return fused_forward(parts(), x);
  return at::linear(hidden(x), weights_.back(), biases_.back()).to(at::kFloat);
}

at::Tensor Network::fixed(const at::Tensor& x) const {
  Network frozen = *this;
  for (auto* list : {&frozen.weights_, &frozen.biases_, &frozen.gains_, &frozen.shifts_})
    for (at::Tensor& parameter : *list) parameter = parameter.detach();
  return frozen.forward(x);
}

void Network::follow(const Network& other, double tau) {
  const at::NoGradGuard no_grad;
  const std::vector<NamedTensor> ours = parameters(""), theirs = other.parameters("");
  ALPS_CHECK(ours.size() == theirs.size());
  for (size_t i = 0; i < ours.size(); ++i) at::Tensor(ours[i].value).lerp_(theirs[i].value, tau);
}

std::vector<NamedTensor> Network::parameters(const std::string& prefix) const {
  std::vector<NamedTensor> list;
  for (size_t i = 0; i < weights_.size(); ++i) {
    list.push_back({str(prefix, ".", i, ".weight"), weights_[i]});
    list.push_back({str(prefix, ".", i, ".bias"), biases_[i]});
  }
  for (size_t i = 0; i < gains_.size(); ++i) {
    const std::string norm = gelu_ ? str(prefix, ".", i, ".norm") : prefix + ".norm";
    list.push_back({norm + ".weight", gains_[i]});
    list.push_back({norm + ".bias", shifts_[i]});
  }
  return list;
}

Mlp Network::to_mlp() const { return to_mlp(weights_.back(), biases_.back()); }

Mlp Network::to_mlp(const at::Tensor& last_weight, const at::Tensor& last_bias) const {
  std::vector<Linear> layers;
  for (size_t i = 0; i + 1 < weights_.size(); ++i) layers.push_back(to_linear(weights_[i], biases_[i]));
  layers.push_back(to_linear(last_weight, last_bias));
  std::vector<LayerNorm> norms;
  for (size_t i = 0; i < gains_.size(); ++i) norms.push_back({to_floats(gains_[i]), to_floats(shifts_[i])});
  if (gelu_) return Mlp::gelu(std::move(layers), std::move(norms));
  if (norms.empty()) return Mlp(std::move(layers));
  return Mlp(std::move(layers), norms[0].gain, norms[0].bias);
}

Bfloat16::Bfloat16(const Compute& compute) : on_(compute.autocast), type_(compute.device.type()) {
  if (!on_) return;
  at::autocast::set_autocast_enabled(type_, true);
  at::autocast::set_autocast_dtype(type_, at::kBFloat16);
  at::autocast::increment_nesting();
}

Bfloat16::~Bfloat16() {
  if (!on_) return;
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(type_, false);
}

}  // namespace alps
