// Whether phi is all of the state that matters, of image runs. Where actions are moves of what phi tells, as in Maze2D,
// phi of two successive images tells the action between them, and phi can serve as the state. Where actions work
// through something else, such as legs, it tells next to nothing of them, and whoever saw phi alone could not act.
#pragma once

#include "alps/data/dataset.h"
#include "alps/nn/model.h"

namespace alps {

// The share of the variance of the actions, 0 .. 1, that psi and its change over one step explain, on rows that a small
// model (run/small_model.h) was not fitted on. Less than 0 where there are too few rows to tell.
double action_share(const Model& model, const Dataset& data, int threads);

}  // namespace alps
