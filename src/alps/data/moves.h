// Moves of factors (data/factors.h): a thing rests, is moved, and rests again elsewhere. Between the end of one move
// and the end of the next, the behaviour was at work on that next move: it went there, took the thing and brought it
// to its place. So each step of the data belongs to the move that comes next, and where the thing then rests is what
// the behaviour was after. Of moves that overlap, the one that begins first counts; the other things that it moved
// along are its consequences.
#pragma once

#include <cstdint>
#include <vector>

#include "alps/data/factors.h"

namespace alps {

struct Move {
  size_t factor = 0;
  size_t begins = 0;     // the first row that belongs to it
  size_t starts = 0;     // the last row in which the thing rests where it was
  size_t ends = 0;       // the first row in which it rests again
  bool follows = false;  // another move of the episode came before it
};

inline constexpr float kLeastMove = 0.1f;  // mean change of the factor's columns, in deviations; less is a touch

// In the order of the rows.
std::vector<Move> find_moves(const ObservationRows& observations, const std::vector<Episode>& episodes,
                             const Factors& factors);

// change of each factor's column in one step that is still rest, in the order of Factors::all()
std::vector<float> rest_changes(const ObservationRows& observations, const std::vector<Episode>& episodes,
                                const Factors& factors);

// A column of the state that leads a factor's column: while that one moves, their changes are proportional, and so are
// their places. A cube that is carried goes where the hand goes.
struct Leader {
  int column = -1;              // -1: no column explains half of the variance of both
  float slope = 0, offset = 0;  // leader = slope * column + offset
};
std::vector<Leader> find_leaders(const ObservationRows& observations, const std::vector<Episode>& episodes,
                                 const Factors& factors);

// Columns that hold the cosine of an angle whose sine is in the next column: together always of length 1, and not just
// one of two values each, as a switch's one-hot columns are.
std::vector<size_t> find_angles(const ObservationRows& observations, const std::vector<Episode>& episodes);

}  // namespace alps
