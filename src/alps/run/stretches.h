// Stretches of a data set as the networks see them: rows that have others some steps later in their episode, their
// normalized states, and the actions taken in between, in units of their limits. What the networks say of a stretch can
// be compared with what happened (run/trust.h, run/check_networks.cc).
#pragma once

#include <span>
#include <vector>

#include "alps/data/dataset.h"
#include "alps/nn/model.h"

namespace alps {

// at most `most` rows, spread evenly, that have another one `ahead` steps later in their episode
std::vector<size_t> starts_with(const Dataset& data, size_t ahead, size_t most);
std::vector<size_t> later(std::span<const size_t> rows, size_t steps);
// normalized states (rows, state_size)
std::vector<float> states_of(const Model& model, const Dataset& data, std::span<const size_t> rows, int threads);
// the actions `offset` steps after the rows (rows, action_size)
std::vector<float> actions_of(const Model& model, const Dataset& data, std::span<const size_t> rows, size_t offset);

}  // namespace alps
