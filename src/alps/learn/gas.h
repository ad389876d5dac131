// GAS, graph-assisted stitching (Baek et al. 2025): no actor chooses subgoals; they are the waypoints of the shortest
// way in a learned distance (graph/waypoint_graph.h, run/waypoints.h). After the distance (learn/distance.h), an actor
// learns to go in a direction (learn/direction.h): for the values any, for the actor that of a state further along its
// trajectory, at most the first one that lies `way_distance` away. DDPG+BC.
#pragma once

#include "alps/learn/direction.h"

namespace alps {

struct GasSettings {
  double way_distance = 8;
  double efficiency = 0.99;
  double bc_weight = 1;
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("way_distance", s.way_distance, Range{1, 100000},
          "how many steps the next waypoint lies ahead, in the learned distance; more for slow bodies");
    visit("efficiency", s.efficiency, Range{-1, 1},
          "states become waypoints if the cosine of where they went and the way ahead is at least this; less where few "
          "are left");
    visit("bc_weight", s.bc_weight, Range{0, 1000}, "how much staying near the data's actions counts for the actor");
  }
};

Loss gas_loss(const GciqlNetworks& networks, const DirectionBatch& batch, double discount, double expectile,
              double bc_weight);

PartKind gas_part();  // after a distance_part

}  // namespace alps
