// What an image shows beside the place. phi, the state of image runs so far, changes as slowly as anything in the data:
// it tells where a body is, and not how it holds its legs. Where actions work through what phi leaves out, this part
// trains a second trunk (nn/trunk.h) beside the map's: convolutions to a few numbers z, the detail, which imitate the
// data's actions together with phi and the way to a goal k steps ahead,
//   || head(z, phi, phi(goal) - phi) - a ||^2,   k uniform in 1 .. prior_horizon                        (as in eq. 3)
// so z holds what the behaviour looks at. Then it is frozen too: the state is phi and z side by side, and the forward
// model, the prior and the planner work on it as on any other state. The map does not look at z. Whether phi is enough
// is measured between the two parts (run/detail_need.h); 0 steps leave this part out.
#pragma once

#include "alps/learn/method.h"

namespace alps {

struct DetailSettings {
  int detail_steps = 0;
  int detail_size = 64;
  int detail_batch = 256;
  double detail_lr = 1e-3;
  std::string detail_strides = "4,2,1";
  int detail_layers = 3;
  int detail_width = 256;
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("detail_steps", s.detail_steps, Range{0, 1e9},
          "images: training steps, at most, of what the state holds beside phi; 0: nothing, phi alone is the state");
    visit("detail_size", s.detail_size, Range{1, 8192}, "images: numbers of the state beside phi");
    visit("detail_batch", s.detail_batch, Range{1, 1 << 20}, "images: examples in a batch of the detail");
    visit("detail_lr", s.detail_lr, Range{1e-12, 10}, "images: learning rate of the detail");
    visit("detail_strides", s.detail_strides, Choices{},
          "images: strides of the detail's convolutions; their channels and kernels are the trunk's");
    visit("detail_layers", s.detail_layers, Range{2, 16}, "images: linear layers from detail and place to the action");
    visit("detail_width", s.detail_width, Range{1, 8192}, "images: units of their hidden layers");
  }
};

PartKind detail_part();

}  // namespace alps
