// What the mover (learn/mover.h) sees, the same in training and in planning:
//   the normalized state, with zeros for the thing that is to be moved;
//   which factor is to be moved, one-hot;
//   thing    all columns of that thing, those too that moves cannot bring anywhere, in one place for whichever thing:
//            what is learned of taking one cube is learned of the others;
//   way      from its factor's values to those at which it shall rest;
//   lead     how far the column that leads lies from the one that it leads, for columns of that factor, and the same
//            squashed, so that the last bit of the way can be seen: a cube that is carried goes where the hand goes;
//   gone     how far it is from where it rested last, and the same squashed. What is in the hand at the table has just
//            been taken, or has come to its place and is to be let go;
//            way, lead and gone have one place for whichever factor, too;
//   turns    cosine and sine of 1, 2 and 4 times the angle from the thing to the agent, for angles that stand in the
//            state as cosine and sine. A cube looks the same after a quarter of a turn: whether a hand is in line with
//            it is one of these numbers, and hard to learn from the two angles alone;
//   since    steps since the last move ended, up to `pause`, as a share of it. Right after a move, behaviour withdraws
//            whatever comes next; later it is on its way to the next thing. In the same state both may be seen. Before
//            the first move of an episode it is as if the last one was long ago.
// What the network of outcomes (learn/outcome.h) sees is a move of one thing and one other thing:
//   which factor is to be moved and which other one is looked at, one-hot;
//   values   of the factor that is to be moved, its way, and the values of the other;
//   frames   how far it shall rest from the other, and how far it rests from it now, in columns that have the same
//            leader: these are in one frame, that of the leader. Each also squashed, as above. Two cubes, both led by
//            the hand, cannot be in the same place, and one on top of another is right above it;
//   nearness to the other, there and here: exp(-(d / 0.4)^2), d the distance in their frame, 0 without one.
// Where the other is the factor itself, there are its own values and way alone. Each kind has one place for whichever
// factor.
// All columns are in units of their deviations.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "alps/nn/bundle.h"

namespace alps {

struct MoveInputs {
  std::vector<size_t> sizes;                // columns of each factor
  std::vector<size_t> columns;              // of all factors
  std::vector<std::vector<size_t>> things;  // of each factor: all columns of the state that belong to that thing
  std::vector<int> leader;                  // of each: the column of the state that leads it; -1: none is known
  std::vector<float> slope, offset;         // leader = slope * column + offset, while the column moves; normalized
  float pause = 1;                          // steps

  MoveInputs() = default;
  explicit MoveInputs(const Bundle& bundle);  // from the vectors "mover.*"; Error where they do not fit together
  void store(Bundle& bundle) const;
  // columns with the cosine of an angle, whose sine is in the next one; `things` must be known. Mean and deviation are
  // the state's.
  void set_angles(const std::vector<size_t>& columns, const std::vector<float>& mean,
                  const std::vector<float>& deviation);

  size_t largest() const;  // columns of a factor
  size_t outcome_size() const { return 2 * sizes.size() + 7 * largest() + 2; }
  size_t first_of(size_t factor) const;  // its first column, among those of all
  // values (columns) of all factors; out (outcome_size)
  void fill_outcome(std::span<const float> values, size_t factor, std::span<const float> to, size_t other,
                    float* out) const;
  // in what fill_outcome filled: what is absolute, that is values, way and values of the other; (3 * largest) numbers
  std::span<float> absolute(float* out) const { return {out + 2 * sizes.size(), 3 * largest()}; }

  size_t size(size_t state_size) const {
    return state_size + sizes.size() + largest_thing() + 5 * largest() + turns() + 1;
  }
  // the factor's columns: `rested` where they rested last, `to` where they shall rest; `since`: steps; out (size)
  void fill(std::span<const float> state, size_t factor, std::span<const float> rested, std::span<const float> to,
            float since, float* out) const;

 private:
  size_t largest_thing() const;  // columns of a thing
  size_t turns() const;          // numbers

  struct Angle {
    size_t column;                // of the cosine
    float mean[2], deviation[2];  // of cosine and sine
  };
  static std::complex<float> direction(const Angle& angle, std::span<const float> state);
  std::vector<Angle> of_agent_;
  std::vector<std::vector<Angle>> of_thing_;
};

// How much states stir: for each column the greatest value less the least, and the mean of that over the columns.
// states (n, size), one after the other in time
float stir(std::span<const float> states, size_t size);

}  // namespace alps
