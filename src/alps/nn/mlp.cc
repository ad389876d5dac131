#include "alps/nn/mlp.h"

#include <algorithm>

#include "alps/base/threads.h"
#include "alps/nn/gelu.h"
#include "alps/nn/norm_tanh.h"

namespace alps {
namespace {

constexpr size_t kBlock = 96;  // rows whose activations stay in the cache between layers

std::vector<float> values(const Array& array) { return {array.as<float>().begin(), array.as<float>().end()}; }

Array vector_array(const std::vector<float>& values) { return Array::of<float>({values.size()}, values); }

}  // namespace

Mlp::Mlp(std::vector<Linear> layers, std::vector<float> norm_gain, std::vector<float> norm_bias)
    : layers_(std::move(layers)), norm_gain_(std::move(norm_gain)), norm_bias_(std::move(norm_bias)) {
  ALPS_CHECK(!layers_.empty());
  for (size_t i = 1; i < layers_.size(); ++i) ALPS_CHECK(layers_[i].inputs() == layers_[i - 1].outputs());
  ALPS_CHECK(norm_gain_.size() == norm_bias_.size());
  ALPS_CHECK(norm_gain_.empty() || norm_gain_.size() == layers_.front().outputs());
}

Mlp Mlp::gelu(std::vector<Linear> layers, std::vector<LayerNorm> norms) {
  Mlp mlp(std::move(layers));
  ALPS_CHECK(norms.empty() || norms.size() + 1 == mlp.layers_.size());
  for (size_t i = 0; i < norms.size(); ++i)
    for (const auto* list : {&norms[i].gain, &norms[i].bias}) ALPS_CHECK(list->size() == mlp.layers_[i].outputs());
  mlp.gelu_ = true;
  mlp.norms_ = std::move(norms);
  return mlp;
}

Mlp Mlp::load(const Tensors& tensors, const std::string& prefix) {
  std::vector<Linear> layers;
  for (size_t i = 0; tensors.has(str(prefix, ".", i, ".weight")); ++i) {
    const Array& weight = tensors.at(str(prefix, ".", i, ".weight"));
    const bool fits = weight.dtype() == DType::kFloat32 && weight.shape().size() == 2 && weight.size() > 0 &&
                      (layers.empty() || layers.back().outputs() == weight.shape()[1]);
    if (!fits)
      throw Error(tensors.path.string(), ": tensor '", prefix, ".", i, ".weight' is ", dtype_name(weight.dtype()), " ",
                  shape_text(weight.shape()), ", which does not continue the layer before it");
    const Array& bias = tensors.at(str(prefix, ".", i, ".bias"), DType::kFloat32, {weight.shape()[0]});
    layers.emplace_back(weight.shape()[1], weight.shape()[0], values(weight), values(bias));
  }
  if (layers.empty()) throw Error(tensors.path.string(), ": lacks tensor '", prefix, ".0.weight'");

  if (const auto units = tensors.metadata.find(kUnits + prefix); units != tensors.metadata.end()) {
    if (units->second != "gelu")
      throw Error(tensors.path.string(), ": network '", prefix, "' has units '", units->second.substr(0, 40),
                  "', which this alps does not know; update alps, or train the run anew");
    std::vector<LayerNorm> norms;
    for (size_t i = 0; i + 1 < layers.size() && tensors.has(prefix + ".0.norm.weight"); ++i) {
      const Shape shape = {layers[i].outputs()};
      const auto of = [&](const char* name) {
        return values(tensors.at(str(prefix, ".", i, ".norm.", name), DType::kFloat32, shape));
      };
      norms.push_back({of("weight"), of("bias")});
    }
    return gelu(std::move(layers), std::move(norms));
  }
  if (!tensors.has(prefix + ".norm.weight")) return Mlp(std::move(layers));
  const Shape shape = {layers.front().outputs()};
  return Mlp(std::move(layers), values(tensors.at(prefix + ".norm.weight", DType::kFloat32, shape)),
             values(tensors.at(prefix + ".norm.bias", DType::kFloat32, shape)));
}

void Mlp::store(Tensors& tensors, const std::string& prefix) const {
  for (size_t i = 0; i < layers_.size(); ++i) {
    const Linear& layer = layers_[i];
    tensors.arrays[str(prefix, ".", i, ".weight")] =
        Array::of<float>({layer.outputs(), layer.inputs()}, layer.weight());
    tensors.arrays[str(prefix, ".", i, ".bias")] = vector_array(layer.bias());
  }
  if (gelu_) tensors.metadata[kUnits + prefix] = "gelu";
  for (size_t i = 0; i < norms_.size(); ++i) {
    tensors.arrays[str(prefix, ".", i, ".norm.weight")] = vector_array(norms_[i].gain);
    tensors.arrays[str(prefix, ".", i, ".norm.bias")] = vector_array(norms_[i].bias);
  }
  if (norm_gain_.empty()) return;
  tensors.arrays[prefix + ".norm.weight"] = vector_array(norm_gain_);
  tensors.arrays[prefix + ".norm.bias"] = vector_array(norm_bias_);
}

void Mlp::forward(std::span<const float> in, std::span<float> out, int threads, Precision precision) const {
  const size_t rows = in.size() / inputs();
  ALPS_CHECK(in.size() == rows * inputs() && out.size() == rows * outputs());
  parallel_blocks(rows, kBlock, threads, [&](size_t first, size_t last) {
    forward_block(in.data() + first * inputs(), last - first, out.data() + first * outputs(), precision);
  });
}

void Mlp::forward_block(const float* in, size_t rows, float* out, Precision precision) const {
  // two buffers take turns as input and output of a layer
  size_t width = 0;
  for (const Linear& layer : layers_) width = std::max(width, layer.outputs());
  thread_local std::vector<float> buffer;
  if (buffer.size() < 2 * rows * width) buffer.resize(2 * rows * width);
  float* here = buffer.data();
  float* there = here + rows * width;

  for (size_t i = 0; i < layers_.size(); ++i) {
    const Linear& layer = layers_[i];
    const bool last = i + 1 == layers_.size();
    const bool norm = i == 0 && !norm_gain_.empty();
    const bool after_relu = i > (norm_gain_.empty() ? 0 : 1) && !gelu_;
    layer.apply(in, rows, last ? out : here, last || norm || gelu_ ? Panels::After::kNothing : Panels::After::kRelu,
                after_relu ? Panels::Input::kRelu : Panels::Input::kDense, i == 0 ? Precision::kFp32 : precision);
    if (last) break;
    for (size_t r = 0; r < rows && gelu_; ++r) {
      float* row = here + r * layer.outputs();
      if (norms_.empty())
        alps::gelu(row, layer.outputs(), row);
      else
        gelu_norm(row, layer.outputs(), norms_[i].gain.data(), norms_[i].bias.data(), row);
    }
    if (norm)
      for (size_t r = 0; r < rows; ++r)
        norm_tanh(here + r * layer.outputs(), layer.outputs(), norm_gain_.data(), norm_bias_.data());
    in = here;
    std::swap(here, there);
  }
}

}  // namespace alps
