// How much of the space the data visit, and how often: the states of a sample are cut into cells by k-means, in the
// slow columns (positions) or, where none is slow, in all columns that move; then episodes are counted in each cell.
// A goal is reached by joining pieces of episodes, which takes places that several of them visit.
#pragma once

#include <cstddef>

#include "alps/data/dataset.h"

namespace alps {

struct Coverage {
  size_t columns = 0, cells = 0;
  double episodes = 0;  // that visit the median cell
  double lonely = 0;    // share of the cells that one episode alone visits
  double busiest = 0;   // share of the rows in the busiest tenth of the cells
};

// of states; no cells for images
Coverage measure_coverage(const Dataset& data, int threads = 0);

}  // namespace alps
