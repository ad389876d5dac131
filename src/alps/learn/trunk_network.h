// The trainable side of nn/trunk.h: pixels to latent states with gradients, in one of two ways that give the same
// numbers. Where most of an image is black, as in Maze2D, most of every feature map is the answer to black, one and the
// same vector everywhere (there is no padding). So a layer is computed only at the positions whose patch touches the
// box of pixels that are not black, as one matrix product over gathered patches; all others share one row. On 100 x 100
// images of a 9 x 9 dot that is about a tenth of the work. Other images go through ordinary convolutions.
// By default the kernels of the first layer are tents, of which only the height is learned (trunk_first): the features,
// and with them psi, then change smoothly as things move. In Maze2D free kernels answer to a thing's place within the
// stride; psi was jagged from pixel to pixel, and neither its distances nor a model of it were of use near a goal.
#pragma once

#include <vector>

#include "alps/learn/networks.h"
#include "alps/learn/trunk_settings.h"
#include "alps/nn/trunk.h"

namespace alps {

class TrunkNetwork {
 public:
  TrunkNetwork(const Shape& image, const TrunkSettings& settings, Rng rng, at::Device device);

  at::Tensor forward(const at::Tensor& images) const;  // (n, h, w, c) uint8 -> (n, outputs)
  at::Tensor features_dense(const at::Tensor& images) const;
  at::Tensor features_sparse(const at::Tensor& images) const;  // on the CPU only

  at::Tensor features(const at::Tensor& images) const;  // (n, m), what the head sees, the way that is quicker
  // before training: another head, weight (outputs, m), bias (outputs)
  void set_head(const at::Tensor& weight, const at::Tensor& bias);

  std::vector<NamedTensor> parameters(const std::string& prefix) const;
  Trunk to_trunk() const;
  // the same with a network on top, whose first layer merges with the head
  Trunk to_trunk(const Mlp& top) const;

 private:
  at::Tensor kernel(size_t layer) const;  // (out, in, k, k)
  Trunk with_head(Mlp head) const;

  Shape image_;
  std::vector<ConvShape> shape_;
  std::vector<at::Tensor> weights_, biases_;  // the convolutions (of a tent only its height, (out, in, 1, 1)), the head
  at::Tensor tent_;                           // (k, k) of the first, if its kernels are tents
};

}  // namespace alps
