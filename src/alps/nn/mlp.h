// A small feed-forward network for inference: linear layers with ReLU between them, or layer norm and tanh after the
// first (the paper's encoder), or GELU, alone or followed by a layer norm each time (OGBench's networks, nn/gelu.h).
// Immutable after construction, so any number of threads may use it. Checked against PyTorch in tests/golden.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "alps/base/safetensors.h"
#include "alps/nn/linear.h"

namespace alps {

// of the outputs of one layer
struct LayerNorm {
  std::vector<float> gain, bias;
};

class Mlp {
 public:
  Mlp() = default;
  // norm_gain and norm_bias are empty, or hold the layer norm after the first layer (epsilon 1e-5, then tanh)
  explicit Mlp(std::vector<Linear> layers, std::vector<float> norm_gain = {}, std::vector<float> norm_bias = {});

  // GELU between the layers; norms are empty, or one for each hidden layer
  static Mlp gelu(std::vector<Linear> layers, std::vector<LayerNorm> norms = {});

  // tensors PREFIX.0.weight, PREFIX.0.bias, PREFIX.norm.weight, PREFIX.norm.bias, PREFIX.1.weight, ...; with GELU
  // PREFIX.0.norm.weight and so on, and metadata units.PREFIX = gelu
  static Mlp load(const Tensors& tensors, const std::string& prefix);
  void store(Tensors& tensors, const std::string& prefix) const;

  bool empty() const { return layers_.empty(); }
  size_t inputs() const { return layers_.front().inputs(); }
  size_t outputs() const { return layers_.back().outputs(); }
  const std::vector<Linear>& layers() const { return layers_; }
  const std::vector<float>& norm_gain() const { return norm_gain_; }
  const std::vector<float>& norm_bias() const { return norm_bias_; }
  bool has_gelu() const { return gelu_; }
  const std::vector<LayerNorm>& norms() const { return norms_; }  // of GELU

  // in (rows, inputs) -> out (rows, outputs); large batches are shared among `threads`. In bf16 the first layer still
  // takes its inputs as they are: rounding a place in a maze to 8 bits would hide the steps that an agent takes.
  void forward(std::span<const float> in, std::span<float> out, int threads = 1,
               Precision precision = Precision::kFp32) const;

 private:
  void forward_block(const float* in, size_t rows, float* out, Precision precision) const;

  std::vector<Linear> layers_;
  std::vector<float> norm_gain_, norm_bias_;
  bool gelu_ = false;
  std::vector<LayerNorm> norms_;
};

inline constexpr const char* kUnits = "units.";  // prefix of metadata

}  // namespace alps
