// Goals for states of the data, as goal-conditioned learners draw them (OGBench's mixture): the state itself, a state
// that the same trajectory reaches later, or any state of the data. Later states are drawn at once uniformly until the
// trajectory's end, or k steps ahead with p(k) = (1 - gamma) gamma^(k - 1), the last state standing for all beyond it.
#pragma once

#include <vector>

#include "alps/data/sampler.h"

namespace alps {

struct GoalMixture {
  double current = 0, random = 0;  // shares; the rest comes from the trajectory
  double gamma = 0;                // 0: uniform until the end
};

// a row for each position
std::vector<size_t> mixed_goals(Rng& rng, const Sampler& sampler, const std::vector<Sampler::Position>& positions,
                                const GoalMixture& mixture);

// k >= 1 steps ahead, at most `remaining`; gamma 0: uniform
size_t steps_ahead(Rng& rng, double gamma, size_t remaining);

}  // namespace alps
