// Which columns move in which steps, and for how long they rest: what factors and their moves are found from
// (data/factors.h, data/moves.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "alps/data/dataset.h"

namespace alps {

struct ColumnSteps {
  std::vector<float> values;    // of each row
  std::vector<uint8_t> moving;  // of each row: whether the step from it moves the column; 0 in last rows of episodes
  float deviation = 0;          // of the values
  float rest = 0;               // a step that changes the column by no more is rest
};

// Some columns over all rows of the given episodes, which follow each other in the result; `parts` are the episodes
// there.
struct Motion {
  std::vector<ColumnSteps> columns;
  std::vector<Episode> parts;
};
Motion motion_of(const ObservationRows& observations, const std::vector<Episode>& episodes,
                 std::span<const size_t> columns);

// Stretches of `least` steps or more in which nothing moves; Episode: first and last row, both at rest.
std::vector<Episode> rests(std::span<const uint8_t> moving, const std::vector<Episode>& parts, size_t least);

}  // namespace alps
