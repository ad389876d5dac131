// Parts of check_run, one function each; check.cc puts them together.
#pragma once

#include <span>
#include <vector>

#include "alps/data/dataset.h"
#include "alps/data/finding.h"
#include "alps/run/run.h"

namespace alps {

// Spearman's rank correlation, ties at their mean rank; 0 where one side is constant
double rank_correlation(std::span<const double> a, std::span<const double> b);

// passages on the shortest way from one region to each other one, over all observed passages in their direction; -1:
// there is no way
std::vector<int> passages_from(const ClusterGraph& graph, int from);

// Steps over which two states of an episode may still be compared: about as many as it takes to cover a deviation of
// the slowest column, 4 to 50. Later the behaviour has turned to another goal.
size_t usual_gap(const Run& run);

std::vector<Finding> check_map(const Run& run, const Dataset& data, int threads);          // psi against time
std::vector<Finding> check_predictions(const Run& run, const Dataset& data, int threads);  // the forward model
std::vector<Finding> check_prior(const Run& run, const Dataset& data, int threads);
std::vector<Finding> check_regions(const ClusterGraph& graph);
// how far a goal may lie from the data, tried on states that were not trained on where there are some
std::vector<Finding> check_reach(const Run& run, int threads);

}  // namespace alps
