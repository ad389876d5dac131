// In which order things have to be moved (data/factors.h), one at a time, from where they rest to where the goal wants
// them: unlock, open, put in, shut; free a place before it is taken; the lower one of a stack first. A*, over the
// product of the places of all factors. A factor's places are where it rests now, where the goal wants it, and some
// where it rested in the data. A move costs 1, a little more where the data support it less than usual, and much more
// where they do not support it: where the other factors are not as they were when such moves were made. So an order
// that the data support is found where there is one, and else the one with the least that is doubtful. What a move does
// to the other factors is foreseen too.
//
// Values are the factors' columns, one factor after the other, in units of their deviations.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace alps {

struct MoveStep {
  size_t factor = 0;
  std::vector<float> to;  // where its columns shall rest
};

// what is expected of moves from one and the same state of the factors
struct Outcomes {
  std::vector<float> support;  // (moves) about 0 or more: the data support it; far below 0: they do not
  std::vector<float> after;    // (moves, columns) values of all factors after it
};
using Foresee = std::function<Outcomes(std::span<const float> values, std::span<const MoveStep> moves)>;

struct FactorPlaces {
  std::vector<size_t> sizes;               // columns of each factor
  std::vector<std::vector<float>> places;  // of each factor (places, size)
};

struct MoveRouteParams {
  std::vector<double> near = {};     // of each factor: mean difference of its columns that counts as being there
  std::vector<double> dislike = {};  // of each factor: what its first move costs more, where moving it has failed
  int first = -1;                    // factor that has to be moved first, because it is in the hand; -1: any
  size_t most = 3000;                // states that are looked at
};

struct MoveRoute {
  std::vector<MoveStep> steps;  // empty: every factor is where the goal wants it
  double cost = 0;
  bool complete = true;  // false: `most` was reached; the steps lead to the most promising state so far
};

MoveRoute find_move_route(const FactorPlaces& factors, std::span<const float> now, std::span<const float> goal,
                          const MoveRouteParams& params, const Foresee& foresee);

// mean absolute difference
double mean_difference(std::span<const float> a, std::span<const float> b);

}  // namespace alps
