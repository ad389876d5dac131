#include "alps/plan/policy.h"

#include <cmath>

#include "alps/nn/bundle.h"

namespace alps {

PolicySpec spec_of(const Bundle& bundle) {
  return {bundle.observation_shape(), !bundle.trunk.empty(), bundle.actions()};
}

void check_observation(const PolicySpec& spec, const Observation& observation) {
  const char* unit = spec.image ? "bytes" : "numbers";
  if (observation.image() != spec.image)
    throw Error("an observation of this run is ", spec.image ? "an image of bytes (uint8)" : "numbers (float32)",
                ", not ", spec.image ? "numbers" : "bytes");
  if (observation.size() != spec.observation_size())
    throw Error("an observation of this run has ", spec.observation_size(), " ", unit, ", not ", observation.size());
  if (spec.image) return;
  const std::span<const float> numbers = observation.floats();
  for (size_t i = 0; i < numbers.size(); ++i)
    if (!std::isfinite(numbers[i])) throw Error("number ", i, " of the observation is not finite");
}

}  // namespace alps
