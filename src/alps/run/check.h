// Plain advice on a data set before training and on a run after it, one line for each thing that was measured
// (data/finding.h); docs/check.md explains the lines. All figures come from samples spread evenly over the data, so
// that a million rows take seconds, and the same file gives the same page.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "alps/data/dataset.h"
#include "alps/data/finding.h"
#include "alps/run/run.h"

namespace alps {

// Before training: episodes, columns, actions, coverage, and whether the next state can be told from this one. The
// observations of `data` must be open. What the loader warned of comes first.
std::vector<Finding> check_data(const Dataset& data, int threads = 0);

// Images that the convolutions of training cannot take, by default; the observations need not be open.
std::vector<Finding> check_image_shape(const Dataset& data);

// After training: whether psi follows time, how far the model can be trusted, how well the prior imitates, regions
// without exits, how far a goal may lie from the data. `data`: what the run was trained on, cut as for training; null:
// it is not there, and only the regions are looked at.
std::vector<Finding> check_run(const Run& run, const Dataset* data, int threads = 0);

struct Checked {
  std::filesystem::path path;
  bool run = false;  // a run's folder, not a data set
  std::vector<Finding> findings;
};
// A folder is taken for a run, anything else for a data set: a name or a file.npz. Error where neither is there.
Checked check(const std::string& file_or_run, const std::filesystem::path& data_dir = {}, int threads = 0);

}  // namespace alps
