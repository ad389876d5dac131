// What the mover (learn/mover.h) sees, the same in training and in planning:
//   the normalized state;
//   which factor is to be moved, one-hot;
//   way      from its columns' values to those at which it shall rest, zero in the slots of the other factors;
//   lead     how far the column that leads lies from the one that it leads, for columns of that factor, and the same
//            squashed, so that the last bit of the way can be seen: a cube that is carried goes where the hand goes;
//   since    steps since the last move ended, up to `pause`, as a share of it. Right after a move, behaviour withdraws
//            whatever comes next; later it is on its way to the next thing. In the same state both may be seen. Before
//            the first move of an episode it is as if the last one was long ago.
// And what the network of outcomes (learn/outcome.h) sees:
//   the values of all factors; which factor is to be moved, one-hot; the way of its columns;
//   frames   how far it shall rest from each other factor, and how far it rests from it now, in columns that have the
//   same
//            leader: these are in one frame, that of the leader. Each also squashed, as above. Two cubes, both led by
//            the hand, cannot be in the same place, and one on top of another is right above it.
//   nearness to each other factor, there and here: exp(-(d / 0.4)^2), d the distance in their frame, 0 without one.
// Columns are those of all factors, one factor after the other, in units of their deviations.
#pragma once

#include <span>
#include <vector>

#include "alps/nn/bundle.h"

namespace alps {

struct MoveInputs {
  std::vector<size_t> sizes;         // columns of each factor
  std::vector<size_t> columns;       // of all factors
  std::vector<int> leader;           // of each: the column of the state that leads it; -1: none is known
  std::vector<float> slope, offset;  // leader = slope * column + offset, while the column moves; normalized
  float pause = 1;                   // steps

  MoveInputs() = default;
  explicit MoveInputs(const Bundle& bundle);  // from the vectors "mover.*"; Error where they do not fit together
  void store(Bundle& bundle) const;

  size_t outcome_size() const { return 3 * sizes.size() + 6 * columns.size(); }
  size_t first_of(size_t factor) const;  // its first column, among those of all
  // values (columns); out (outcome_size)
  void fill_outcome(std::span<const float> values, size_t factor, std::span<const float> to, float* out) const;

  size_t size(size_t state_size) const { return state_size + sizes.size() + 3 * columns.size() + 1; }
  // `to`: the factor's columns where they shall rest; `since`: steps; out (size)
  void fill(std::span<const float> state, size_t factor, std::span<const float> to, float since, float* out) const;
};

}  // namespace alps
