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

Network::Network(const NetworkShape& shape, Rng rng, const Compute& compute) : compute_(compute) {
  const at::Device device = compute.device;
  for (int i = 0; i < shape.layers; ++i) {
    const int64_t inputs = i == 0 ? static_cast<int64_t>(shape.inputs) : shape.width;
    const int64_t outputs = i + 1 == shape.layers ? static_cast<int64_t>(shape.outputs) : shape.width;
    weights_.push_back(start_values({outputs, inputs}, static_cast<double>(inputs), rng, device));
    biases_.push_back(start_values({outputs}, static_cast<double>(inputs), rng, device));
  }
  if (!shape.norm) return;
  norm_gain_ = at::ones({shape.width}, device).set_requires_grad(true);
  norm_bias_ = at::zeros({shape.width}, device).set_requires_grad(true);
}

Network::Network(const Mlp& mlp, const Compute& compute) : compute_(compute) {
  const at::Device device = compute.device;
  for (const Linear& layer : mlp.layers()) {
    const int64_t inputs = static_cast<int64_t>(layer.inputs()), outputs = static_cast<int64_t>(layer.outputs());
    weights_.push_back(to_tensor(layer.weight(), {outputs, inputs}, device));
    biases_.push_back(to_tensor(layer.bias(), {outputs}, device));
  }
  if (mlp.norm_gain().empty()) return;
  const int64_t width = static_cast<int64_t>(mlp.norm_gain().size());
  norm_gain_ = to_tensor(mlp.norm_gain(), {width}, device);
  norm_bias_ = to_tensor(mlp.norm_bias(), {width}, device);
}

at::Tensor Network::hidden(at::Tensor x) const {
  for (size_t i = 0; i + 1 < weights_.size(); ++i) {
    x = at::linear(x, weights_[i], biases_[i]);
    if (i == 0 && norm_gain_.defined())
      x = at::layer_norm(x, {x.size(-1)}, norm_gain_, norm_bias_).tanh();
    else
      x = x.relu();
  }
  return x;
}

bool Network::fused() const { return weights_.front().is_cpu() && !at::autocast::is_autocast_enabled(at::kCPU); }

FusedNetwork Network::parts() const {
  FusedNetwork network{
      .parameters = {}, .norm = norm_gain_.defined(), .threads = compute_.threads, .precision = compute_.precision};
  for (const NamedTensor& parameter : parameters("")) network.parameters.push_back(parameter.value);
  return network;
}

at::Tensor Network::forward(const at::Tensor& x) const {
  if (fused()) return fused_forward(parts(), x);
  return at::linear(hidden(x), weights_.back(), biases_.back()).to(at::kFloat);
}

std::vector<NamedTensor> Network::parameters(const std::string& prefix) const {
  std::vector<NamedTensor> list;
  for (size_t i = 0; i < weights_.size(); ++i) {
    list.push_back({str(prefix, ".", i, ".weight"), weights_[i]});
    list.push_back({str(prefix, ".", i, ".bias"), biases_[i]});
  }
  if (norm_gain_.defined()) {
    list.push_back({prefix + ".norm.weight", norm_gain_});
    list.push_back({prefix + ".norm.bias", norm_bias_});
  }
  return list;
}

Mlp Network::to_mlp() const { return to_mlp(weights_.back(), biases_.back()); }

Mlp Network::to_mlp(const at::Tensor& last_weight, const at::Tensor& last_bias) const {
  std::vector<Linear> layers;
  for (size_t i = 0; i + 1 < weights_.size(); ++i) layers.push_back(to_linear(weights_[i], biases_[i]));
  layers.push_back(to_linear(last_weight, last_bias));
  if (!norm_gain_.defined()) return Mlp(std::move(layers));
  return Mlp(std::move(layers), to_floats(norm_gain_), to_floats(norm_bias_));
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
