// Can the next state be told from this one? For each column, the share of the variance of its change over one step that
// a small model cannot explain: from state and action, and from these together with the state and action before. Where
// the past helps, the observation lacks something, such as a velocity: it is not Markov, and a model of it must fail.
// What neither explains is noise, or beyond the small model. The model is ridge regression on the inputs and on random
// tanh features of them, fitted on some episodes and judged on others; the same data give the same figures.
#pragma once

#include <cstddef>
#include <vector>

#include "alps/data/dataset.h"

namespace alps {

struct OneStepParams {
  size_t steps = 20'000;  // on which it is fitted
  size_t judged = 5'000;
  size_t features = 192;
};

struct OneStepError {
  std::vector<size_t> columns;         // that change
  std::vector<double> now, with_past;  // (columns) unexplained share of the change, 0 .. 1
  size_t steps = 0;                    // judged
};

// of states, not images; empty where there are too few steps
OneStepError one_step_error(const Dataset& data, const OneStepParams& params = {});

}  // namespace alps
