// The step from pixels to states: once the trunk is trained, every image has a latent state, normalized like any other
// state, on which model and prior are trained and the planner works.
#pragma once

#include "alps/learn/part.h"
#include "alps/learn/trunk_network.h"

namespace alps {

// The trunk before training, convolutions drawn at random. A random head gives latents that are mostly constant, so it is
// scaled to mean 0 and deviation 1 over some images (kScaled); or it is set to give the slowest functions in the span of
// its features, by a Rayleigh-Ritz solve over some pairs (kSlow), from where ALLO is quick.
enum class TrunkStart { kScaled, kSlow };
TrunkNetwork start_trunk(const PartContext& context, TrunkStart start);

// Gives every row of the data its latent state by this trunk, and puts trunk and normalizer into the model.
void set_trunk(Trunk trunk, const PartContext& context);

}  // namespace alps
