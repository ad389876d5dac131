// The convolutional trunk for image observations: pixels / 255, some convolutions with ReLU (no padding), and a small
// network to the latent state on which the representation, the model and the prior are heads. Another trunk may stand
// beside it, for what the first one leaves out; the state is then what both make of the image, side by side. Inference
// only. Its sizes are settings of training (learn/trunk_settings.h), stored with the weights.
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

  // PREFIX.image, PREFIX.strides, PREFIX.0.weight (whose shape tells channels and kernel), ..., PREFIX.head.0.weight,
  // ..., and the same of the one beside it, PREFIX.beside.image, ...
  static Trunk load(const Tensors& tensors, const std::string& prefix = "trunk");
  void store(Tensors& tensors, const std::string& prefix = "trunk") const;

  // with another one beside it, for images of the same size, whose outputs follow its own; and without it
  Trunk with(Trunk other) const;
  Trunk alone() const;

  bool empty() const { return convolutions_.empty(); }
  const Shape& image() const { return image_; }  // (height, width, channels)
  const std::vector<ConvShape>& shape() const { return shape_; }
  size_t pixels() const { return element_count(image_); }
  size_t outputs() const { return head_.outputs() + (beside_.empty() ? 0 : beside_[0].outputs()); }

  // images (rows, height, width, channels) -> latents (rows, outputs)
  void forward(std::span<const uint8_t> images, std::span<float> out, int threads = 1) const;

 private:
  void forward_one(const uint8_t* image, float* out) const;

  Shape image_;
  std::vector<ConvShape> shape_;
  std::vector<Linear> convolutions_;
  Mlp head_;
  std::vector<Trunk> beside_;  // none or one
};

// features after the convolutions; throws an Error if the image is too small
size_t trunk_features(const Shape& image, std::span<const ConvShape> shape = kTrunkShape);

}  // namespace alps
