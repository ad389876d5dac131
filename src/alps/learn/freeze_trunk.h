// The step from pixels to states: once the trunk is trained, every image has a latent state, normalized like any other
// state, on which model and prior are trained and the planner works.
#pragma once

#include "alps/learn/part.h"
#include "alps/learn/trunk_network.h"

namespace alps {

// The trunk before training. ALLO: convolutions drawn at random, and a head that gives the slowest functions in the
// span of their features, by a Rayleigh-Ritz solve over some pairs. With a random head, latents are mostly constant,
// and the rest of them changes from pixel to pixel; training would need many steps to undo that.
TrunkNetwork slow_trunk(const PartContext& context);
// PcLast: kernels that start as tents (trunk_start), and a head that mixes all features, each of unit variance, at
// random. A head of slow functions would have very large weights: every step of the convolutions would change the
// latents completely, and the inverse kinematics never recovers from that.
TrunkNetwork mixed_trunk(const PartContext& context);
TrunkNetwork mixed_trunk(const PartContext& context, const TrunkSettings& settings);

// Gives every row of the data its latent state by this trunk, and puts trunk and normalizer into the bundle.
void set_trunk(Trunk trunk, const PartContext& context);
// Another trunk beside it: its outputs follow in the state of every row, and the representation, where there is one
// already, does not look at them. Undone by the second function.
void set_beside(const Trunk& trunk, const PartContext& context);
void drop_beside(const PartContext& context);
// Normalized states back to the trunk's latents, one linear layer.
Mlp latents_of_states(const Bundle& bundle);

}  // namespace alps
