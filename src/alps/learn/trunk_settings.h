// The sizes of the convolutional trunk that image runs are trained with (nn/trunk.h), as settings: lists of numbers
// separated by commas, one for each convolution. The trained model stores them, so that any trunk loads.
#pragma once

#include <string>
#include <vector>

#include "alps/base/profile.h"
#include "alps/nn/trunk.h"

namespace alps {

struct TrunkSettings {
  std::string trunk_channels = "16,32,32";
  std::string trunk_kernels = "8,4,3";
  std::string trunk_strides = "4,2,2";
  std::string trunk_first = "tents";
  std::string trunk_start = "random";
  int latent = 32;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("trunk_channels", s.trunk_channels, Choices{}, "images: outputs of each convolution, such as 16,32,32");
    visit("trunk_kernels", s.trunk_kernels, Choices{},
          "images: height and width of each convolution's kernel, in pixels of the map before it");
    visit("trunk_strides", s.trunk_strides, Choices{},
          "images: pixels from one patch of a convolution to the next; larger strides are faster and coarser");
    visit("trunk_first", s.trunk_first, Choices{"tents", "free"},
          "images: kernels of the first convolution: tents (fixed pyramids with a learned height) keep psi smooth "
          "where small things move, free ones can tell textures and edges");
    visit("trunk_start", s.trunk_start, Choices{"random", "tents"},
          "images: how the kernels of the other convolutions start: random, or as tents (pclast)");
    visit("latent", s.latent, Range{1, 8192}, "images: size of the state that the convolutions end in");
  }

  // parsed; UsageError that names the key if a list is not one of positive numbers, or their lengths differ
  std::vector<ConvShape> shape() const;
};

}  // namespace alps
