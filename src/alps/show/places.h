// Where imagined states are on the map. A forward model imagines normalized states; films and the page draw places.
// Where the first two columns of an observation are the place, it is read from the state; otherwise (images, joint
// angles) a state is where the state of the data is that lies nearest to it in psi.
#pragma once

#include <span>
#include <vector>

#include "alps/show/state_sample.h"

namespace alps {

// normalized states (n, state_size) -> n places; the sample has places, and columns of them or psi
std::vector<Point2> places_of(const Model& model, const StateSample& sample, std::span<const float> states);

}  // namespace alps
