// What the mover (learn/mover.h) sees, the same in training and in planning:
//   the normalized state;
//   which factor is to be moved, one-hot;
//   way      from its columns' values to those at which it shall rest, zero in the slots of the other factors;
//   lead     how far the column that leads lies from the one that it leads, for columns of that factor, and the same
//            squashed, so that the last bit of the way can be seen: a cube that is carried goes where the hand goes;
//   since    steps since the last move ended, up to `pause`, as a share of it. Right after a move, behaviour withdraws
//            whatever comes next; later it is on its way to the next thing. In the same state both may be seen. Before
//            the first move of an episode it is as if the last one was long ago.
// Columns are those of all factors, one factor after the other, in units of their deviations.
#pragma once

#include <span>
#include <vector>

#include "alps/nn/bundle.h"

namespace alps {

struct MoveInputs {
  std::vector<size_t> sizes;          // columns of each factor
  std::vector<size_t> columns;        // of all factors
  std::vector<int> leader;            // of each: the column of the state that leads it; -1: none is known
  std::vector<float> slope, offset;   // leader = slope * column + offset, while the column moves; normalized
  float pause = 1;                    // steps

  MoveInputs() = default;
  explicit MoveInputs(const Bundle& bundle);  // from the vectors "mover.*"; Error where they do not fit together
  void store(Bundle& bundle) const;

  size_t size(size_t state_size) const { return state_size + sizes.size() + 3 * columns.size() + 1; }
  // `to`: the factor's columns where they shall rest; `since`: steps; out (size)
  void fill(std::span<const float> state, size_t factor, std::span<const float> to, float since, float* out) const;
};

}  // namespace alps
