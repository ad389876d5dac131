// The trainable side of the small networks: the same layers as nn/ but as torch tensors with gradients. Weights start
// as PyTorch's Linear and Conv2d do (uniform in +-1/sqrt(fan in)), drawn from our own generator. Includes torch: only
// files of learn/ may include this.
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <span>
#include <string>
#include <vector>

#include "alps/base/rng.h"
#include "alps/learn/compute.h"
#include "alps/learn/fused.h"
#include "alps/nn/mlp.h"

namespace alps {

struct NamedTensor {
  std::string name;
  at::Tensor value;
};

struct NetworkShape {
  size_t inputs, outputs;
  int layers;         // linear layers, the output layer included
  int width;          // of the hidden layers
  bool norm = false;  // layer norm and tanh after the first layer instead of ReLU; with GELU, layer norms after all
  // GELU instead of ReLU; weights then start uniform with variance 2 / (inputs + outputs), biases at zero
  bool gelu = false;
  double last = 1;  // with GELU: factor of the variance of the last layer's weights at the start
};

class Network {
 public:
  Network(const NetworkShape& shape, Rng rng, const Compute& compute);
  Network(const Mlp& mlp, const Compute& compute);  // frozen

  at::Tensor hidden(at::Tensor x) const;          // (n, inputs) -> (n, width), the input of the last layer
  at::Tensor forward(const at::Tensor& x) const;  // (n, inputs) -> (n, outputs)
  at::Tensor fixed(const at::Tensor& x) const;    // the same; gradients go to x and not to the weights

  // not while gradients are taken: multiplies what goes in or comes out, column by column
  void scale_inputs(const at::Tensor& factors) { weights_.front().mul_(factors); }
  // from here on y goes in where x = matrix y did; matrix (inputs, inputs)
  void transform_inputs(const at::Tensor& matrix) { weights_.front().copy_(weights_.front().matmul(matrix)); }
  void scale_outputs(const at::Tensor& factors) {
    weights_.back().mul_(factors.unsqueeze(1));
    biases_.back().mul_(factors);
  }

  bool fused() const;  // by our kernels: on the CPU
  FusedNetwork parts() const;

  // weights := (1 - tau) weights + tau other's; not while gradients are taken
  void follow(const Network& other, double tau);

  std::vector<NamedTensor> parameters(const std::string& prefix) const;
  Mlp to_mlp() const;
  // the same, with the last layer replaced: weight (outputs, width), bias (outputs)
  Mlp to_mlp(const at::Tensor& last_weight, const at::Tensor& last_bias) const;
  Network copy() const { return Network(to_mlp(), compute_); }  // frozen

  const Compute& compute() const { return compute_; }

 private:
  Compute compute_;
  std::vector<at::Tensor> weights_, biases_;
  bool gelu_ = false;
  std::vector<at::Tensor> gains_, shifts_;  // of the layer norms, if there are any
};

// uniform in +-1/sqrt(fan_in), with gradient
at::Tensor start_values(at::IntArrayRef shape, double fan_in, Rng& rng, at::Device device);
Linear to_linear(const at::Tensor& weight, const at::Tensor& bias);

// values as a tensor on the device, and back
at::Tensor to_tensor(std::span<const float> values, at::IntArrayRef shape, at::Device device);
std::vector<float> to_floats(const at::Tensor& tensor);

// where `compute` asks for it, torch computes in bfloat16 what it deems safe, while this lives
class Bfloat16 {
 public:
  explicit Bfloat16(const Compute& compute);
  ~Bfloat16();

 private:
  bool on_;
  at::DeviceType type_;
};

}  // namespace alps
