// The step from pixels to states: once the trunk is trained, every image has a latent state, normalized like any other
// state, on which model and prior are trained and the planner works.
#pragma once

#include "alps/learn/part.h"
#include "alps/learn/trunk_network.h"

namespace alps {

// The trunk before training. ALLO: convolutions drawn at random, and a head that gives the slowest functions in the
// span of their features, by a Rayleigh-Ritz solve over some pairs. The latents of a random head are mostly constant
// and else change from pixel to pixel, which training takes long to undo.
TrunkNetwork slow_trunk(const PartContext& context);
// PcLast: kernels that start as tents (trunk_start), and a head that mixes all features, each of unit variance, at
// random. The head of slow functions has weights so large that any step of the convolutions turns the latents into
// others, which the inverse kinematics, unlike ALLO's barrier, never recovers from.
TrunkNetwork mixed_trunk(const PartContext& context);

// Gives every row of the data its latent state by this trunk, and puts trunk and normalizer into the bundle.
void set_trunk(Trunk trunk, const PartContext& context);
// Normalized states back to the trunk's latents, one linear layer.
Mlp latents_of_states(const Bundle& bundle);

}  // namespace alps
