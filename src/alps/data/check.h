// What can be seen in a data set before training, without a model of anything: episodes, columns, actions. Each
// function returns lines of advice (data/finding.h). A sample of some 100,000 steps, spread evenly over the data, is
// looked at, so that a million rows take a second or two; nothing is drawn at random. run/check.h adds coverage and
// prediction.
#pragma once

#include <vector>

#include "alps/data/dataset.h"
#include "alps/data/finding.h"

namespace alps {

// every so many-th row that has a successor in its episode, `most` or somewhat fewer
std::vector<size_t> even_steps(const std::vector<Episode>& episodes, size_t most);

// how many episodes there are, how long they are, and whether ends are missing or stand where nothing ends
std::vector<Finding> check_episodes(const Dataset& data);

// Of states: columns that never change, repeat another one, hold enormous values or outliers, or wrap like an angle.
// Of images: nothing.
std::vector<Finding> check_columns(const Dataset& data);

// A column wraps if it moves on in small steps, and some steps cross nearly its whole range at once.
struct Wrap {
  size_t column = 0, times = 0;  // steps of the sample that cross
  double low = 0, high = 0;      // the range
};
std::vector<Wrap> find_wraps(const ObservationRows& rows, std::span<const size_t> steps);

// limits of the actions and what sets them, clipping, actions that are never used
std::vector<Finding> check_actions(const Dataset& data);

}  // namespace alps
