// States of a run's data set, spread evenly over its rows: where they are, what psi says of them, and in which regions
// they lie. What pictures of a run are made from.
#pragma once

#include <string>
#include <vector>

#include "alps/base/array.h"
#include "alps/base/geometry.h"
#include "cli/run.h"

namespace alps {
struct Dataset;
}

namespace alps::cli {

struct Sample {
  std::vector<size_t> rows;    // of the data set
  std::vector<Point2> places;  // (states)
  std::string plane;           // what their two numbers are: "position", "psi 1 and psi 2"
  Array psi;                   // (states, eigenvectors)
  std::vector<int32_t> labels;

  size_t size() const { return places.size(); }
};

// at most `most` states
Sample sample_states(const Run& run, const Dataset& data, size_t most);
// the data set without what a sample does not need: images stay on disk
Dataset load_for_sample(const Run& run);

}  // namespace alps::cli
