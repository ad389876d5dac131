// From a learned distance and its data set to the waypoints of method gas (graph/waypoint_graph.h): phi of all states,
// episode by episode; those that made good use of their time (data/way_ahead.h); waypoints half of way_distance apart.
#pragma once

#include <functional>
#include <string>

#include "alps/data/dataset.h"
#include "alps/graph/waypoint_graph.h"
#include "alps/nn/bundle.h"

namespace alps {

inline constexpr size_t kMostWaypoints = 20000;

struct WaypointParams {
  double way_distance = 8, efficiency = 0.99;  // settings of method gas
  int threads = 0;
  size_t most = kMostWaypoints;
  std::function<void(const std::string&)> say = {};  // receives messages for the user
};

// Waypoints further apart than asked for where there would be more than `most`. The observations of `data` must
// be open, its episodes cut.
WaypointGraph make_waypoints(const Bundle& bundle, const Dataset& data, const WaypointParams& params);

}  // namespace alps
