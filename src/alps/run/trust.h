// How far the search may believe the forward model, measured on the data. The search compares what the model imagines
// of actions that differ from the prior's. The data hold such actions and what came of them: at a recorded state the
// prior proposes one sequence, the behaviour took another. With psi_p and psi_a, what the model imagines of the two,
// and psi, where the behaviour really got to,
//   trust = sum <psi - psi_p, psi_a - psi_p> / sum |psi_a - psi_p|^2
// is the share of an imagined difference that comes true: 1 where the model knows what a change of the actions brings,
// 0 where its differences are chance, less than 0 where they mislead.
#pragma once

#include <vector>

#include "alps/data/dataset.h"
#include "alps/nn/model.h"

namespace alps {

// for sequences of 1 .. 10 actions; empty where the data or the networks do not tell. The episodes of `data` must be
// cut.
std::vector<double> measure_trust(const Model& model, const Dataset& data, int threads);

}  // namespace alps
