// The trainable side of nn/trunk.h: pixels to latent states with gradients, in one of two ways that give the same
// numbers. Where most of an image is black, as in Maze2D, most of every feature map is the answer to black, one and the
// same vector everywhere (there is no padding). So a layer is computed only at the positions whose patch touches the
// box of pixels that are not black, as one matrix product over gathered patches; all others share one row. On 100 x 100
// images of a 9 x 9 dot that is about a tenth of the work. Other images go through ordinary convolutions.
#pragma once

#include <vector>

#include "alps/learn/networks.h"
#include "alps/nn/trunk.h"

namespace alps {

class TrunkNetwork {
 public:
  TrunkNetwork(const Shape& image, size_t outputs, Rng rng, at::Device device);

  at::Tensor forward(const at::Tensor& images) const;  // (n, h, w, c) uint8 -> (n, outputs), the way that is quicker
  at::Tensor forward_dense(const at::Tensor& images) const;
  at::Tensor forward_sparse(const at::Tensor& images) const;  // on the CPU only

  // Before training: scales the head so that the latents of these images have mean 0 and deviation 1. What an image
  // shows may change few of the features, and a constant a hundred times as large would drown it.
  void centre(const at::Tensor& images);

  std::vector<NamedTensor> parameters(const std::string& prefix) const;
  Trunk to_trunk() const;

 private:
  Shape image_;
  std::vector<at::Tensor> weights_, biases_;  // the convolutions, then the head
};

}  // namespace alps
