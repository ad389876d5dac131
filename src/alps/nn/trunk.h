// The convolutional trunk for image observations: pixels / 255, some convolutions with ReLU (no padding), and a small
// network to the latent state on which the representation, the model and the prior are heads. Inference only. Its sizes
// are settings of training (learn/trunk_settings.h), stored with the weights.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "alps/base/safetensors.h"
#include "alps/nn/mlp.h"

namespace alps {

// one convolution: `kernel` x `kernel` pixels, every `stride` pixels, to `channels` outputs
struct ConvShape {
  size_t channels, kernel, stride;
};
// the default: small enough for two cores, about 2 MFLOP a 100 x 100 image
inline constexpr std::array<ConvShape, 3> kTrunkShape = {{{16, 8, 4}, {32, 4, 2}, {32, 3, 2}}};

class Trunk {
 public:
  Trunk() = default;
  // convolutions as linear layers over patches (channel, y, x), as PyTorch flattens (out, in, kernel, kernel)
  Trunk(Shape image, std::vector<Linear> convolutions, Mlp head, std::span<const ConvShape> shape = kTrunkShape);

  // trunk.image, trunk.strides, trunk.0.weight (whose shape tells channels and kernel), ..., trunk.head.0.weight, ...
  static Trunk load(const Tensors& tensors);
  void store(Tensors& tensors) const;

  bool empty() const { return convolutions_.empty(); }
  const Shape& image() const { return image_; }  // (height, width, channels)
  const std::vector<ConvShape>& shape() const { return shape_; }
  size_t pixels() const { return element_count(image_); }
  size_t outputs() const { return head_.outputs(); }

  // images (rows, height, width, channels) -> latents (rows, outputs)
  void forward(std::span<const uint8_t> images, std::span<float> out, int threads = 1) const;

 private:
  void forward_one(const uint8_t* image, float* out) const;

  Shape image_;
  std::vector<ConvShape> shape_;
  std::vector<Linear> convolutions_;
  Mlp head_;
};

// features after the convolutions; throws an Error if the image is too small
size_t trunk_features(const Shape& image, std::span<const ConvShape> shape = kTrunkShape);

}  // namespace alps
