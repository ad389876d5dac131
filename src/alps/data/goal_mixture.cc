#include "alps/data/goal_mixture.h"

#include <algorithm>
#include <cmath>

#include "alps/base/error.h"

namespace alps {

size_t steps_ahead(Rng& rng, double gamma, size_t remaining) {
  ALPS_CHECK(remaining > 0 && gamma < 1);
  if (gamma <= 0) return 1 + rng.below(remaining);
  const double k = 1 + std::floor(std::log1p(-rng.uniform()) / std::log(gamma));
  return static_cast<size_t>(std::min(k, static_cast<double>(remaining)));
}

std::vector<size_t> mixed_goals(Rng& rng, const Sampler& sampler, const std::vector<Sampler::Position>& positions,
                                const GoalMixture& mixture) {
  const std::vector<size_t> any = sampler.uniform(rng, positions.size());
  std::vector<size_t> goals;
  for (size_t i = 0; i < positions.size(); ++i) {
    const auto [row, remaining] = positions[i];
    const double lot = rng.uniform();
    if (lot < mixture.current)
      goals.push_back(row);
    else if (lot < mixture.current + mixture.random)
      goals.push_back(any[i]);
    else
      goals.push_back(row + steps_ahead(rng, mixture.gamma, remaining));
  }
  return goals;
}

}  // namespace alps
