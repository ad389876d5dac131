// The mover: the behaviour prior of moves (data/moves.h), for data with factors. mover(x, f, way) -> a imitates the
// data's action in state x, where f is the factor whose move comes next, and `way` leads from its present values to
// those at which it then comes to rest. The agent and the other factors are free: the goal says nothing about them.
// Behaviour that takes up one thing after the other, which looks random when the thing and its place are not known, is
// nearly one and the same when they are, so that its mean is worth imitating.
#pragma once

#include "alps/learn/method.h"

namespace alps {

struct MoverSettings {
  int mover_layers = 4;
  int mover_width = 256;
  int mover_steps = 12'000;
  int mover_batch = 512;
  double mover_lr = 1e-3;
  double mover_blur = 0.1;
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("mover_layers", s.mover_layers, Range{2, 16}, "linear layers of the mover");
    visit("mover_width", s.mover_width, Range{1, 8192}, "units of the mover's hidden layers");
    visit("mover_steps", s.mover_steps, Range{1, 1e9}, "training steps of the mover, at most");
    visit("mover_batch", s.mover_batch, Range{1, 1 << 20}, "examples in a batch of the mover");
    visit("mover_lr", s.mover_lr, Range{1e-12, 10}, "learning rate of the mover");
    visit(
        "mover_blur", s.mover_blur, Range{0, 10},
        "noise on where a thing shall rest, in deviations. In the data it rests exactly there; without noise, what is "
        "put down a little beside its place would never be let go");
  }
};
PartKind mover_part();  // trained where the data have factors

}  // namespace alps
