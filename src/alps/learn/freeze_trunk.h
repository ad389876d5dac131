// The step from pixels to states: once the trunk is trained, every image has a latent state, normalized like any other
// state, on which model and prior are trained and the planner works.
#pragma once

#include <optional>

#include "alps/learn/part.h"
#include "alps/learn/trunk_network.h"

namespace alps {

// the trunk of the training's start, for the images of its data
TrunkNetwork start_trunk(const PartContext& context);

// Puts the trunk and the normalizer into the model and gives every row of the data its latent state. The first layer of
// `head`, which took latents as the trunk gives them, takes normalized ones from now on.
void freeze_trunk(std::optional<TrunkNetwork>& trunk, Network& head, const PartContext& context);

}  // namespace alps
