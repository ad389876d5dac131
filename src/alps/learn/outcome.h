// What a move of one factor needs of the others, and what it does to them, learned from the moves of the data
// (data/moves.h). outcome(v, f, way, g) -> (support, changes), with the inputs of nn/move_inputs.h: v are the values of
// the factors, f is the factor to be moved, `way` leads to where it shall rest, and g is another one, looked at alone.
//   support   tells moves of the data from the same moves with g as it was at another moment. With a balanced cross
//             entropy it comes to log p(v_g | move) / p(v_g). It is about 0 or more for what the data support, and far
//             below 0 for a locked drawer, a place that is taken, the upper cube of a stack whose lower one is
//             elsewhere. Where g is f itself, its place is exchanged for where it rested at another moment. A move is
//             as doubtful as the most doubtful of its pairs: conditions of several things must all be met.
//   changes   of g's columns from before the move to after it: who shuts a drawer moves what is in it.
// One pair at a time, because moves are few: a network that sees all things at once learns single moments by heart.
#pragma once

#include "alps/learn/method.h"

namespace alps {

struct OutcomeSettings {
  int outcome_layers = 4;
  int outcome_width = 128;
  int outcome_steps = 10'000;
  int outcome_batch = 256;
  double outcome_lr = 1e-3;
  double outcome_blur = 0.15;
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("outcome_layers", s.outcome_layers, Range{2, 16}, "linear layers of the network of outcomes of moves");
    visit("outcome_width", s.outcome_width, Range{1, 8192}, "units of its hidden layers");
    visit("outcome_steps", s.outcome_steps, Range{1, 1e9},
          "its training steps, at most; fewer where moves are few: each is seen 150 times");
    visit("outcome_batch", s.outcome_batch, Range{2, 1 << 20}, "moves in a batch of it");
    visit("outcome_lr", s.outcome_lr, Range{1e-12, 10}, "its learning rate");
    visit(
        "outcome_blur", s.outcome_blur, Range{0, 10},
        "noise on values and ways that it learns from, in deviations, so that it does not learn single moves by heart; "
        "where things are to each other stays exact");
  }
};
PartKind outcome_part();  // trained where the data have factors

// logits (n) of true and exchanged moves -> mean cross entropy of telling them apart
at::Tensor support_loss(const at::Tensor& of_true, const at::Tensor& of_exchanged);

}  // namespace alps
