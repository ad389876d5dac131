// HILP, Hilbert foundation policies (Park et al. 2024), for goals: after a distance (learn/distance.h), an actor learns
// to go in any direction of phi (learn/direction.h), by advantage-weighted regression. To reach a goal it is told the
// direction of the goal, at every step anew. No waypoints: what gas adds is measured against this.
#pragma once

#include "alps/learn/direction.h"

namespace alps {

struct HilpSettings {
  double awr = 10;
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("awr", s.awr, Range{0, 1000}, "inverse temperature of the actor: 0 imitates all that was done");
  }
};

// batch.actor_directions is not looked at: the actor learns all directions
Loss hilp_loss(const GciqlNetworks& networks, const DirectionBatch& batch, double discount, double expectile,
               double awr);

PartKind hilp_part();  // after a distance_part

}  // namespace alps
