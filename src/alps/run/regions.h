// From a trained representation and its data set to the regions of the map: psi of all states, k-means, the graph. How
// many regions there are follows from the behaviour: the next region should be about as far away as the data get in
// `reach_steps` steps, because the prior has learned to reach goals at that distance. Where the data are slow for the
// size of their world, or recorded often, these are more steps (steps_to_next_region).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "alps/base/profile.h"
#include "alps/data/dataset.h"
#include "alps/graph/cluster_graph.h"
#include "alps/nn/model.h"

namespace alps {

struct RegionSettings {
  int clusters = 0;
  int reach_steps = 25;
  std::string region_sizes = "even";
  bool drop_traps = false;
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("clusters", s.clusters, Range{0, 100000},
          "number of regions (C); 0: found from how far the data get in reach_steps");
    visit(
        "reach_steps", s.reach_steps, Range{1, 100000},
        "with clusters=0, the next region is about as far away as the data get in this many steps; found from the map "
        "where the data would need too many regions; lower it for more regions");
    visit("region_sizes", s.region_sizes, Choices{"even", "plain"},
          "even: regions of about one size; plain: k-means (the paper), which cuts busy places finely");
    visit("drop_traps", s.drop_traps, Range{0, 1},
          "find the regions again without states in traps (fallen bodies), where these take over a quarter of the "
          "regions; for data that only explore");
  }
};

struct RegionParams {
  RegionSettings settings;
  double top_p = 0.95;
  uint64_t seed = 0;
  int threads = 0;
  size_t memory = 0;  // bytes that psi of the states may take; 0: a quarter of the machine's memory
  std::function<void(const std::string&)> say = {};  // receives messages for the user
};

inline constexpr int kMostRegions = 256;

// How many balls in psi, whose radius is a share of 0.4 of the way that the data cover in some steps (root mean
// square), cover 95 % of the states; between 16 and `most`. Where the data cross the whole map in that time,
// which is when their way is more than three quarters of the distance of any two states, the coarsest map will do: 16.
// psi (rows, dim) of states, in the order of the data, and of those so many steps later in the same episode (rows,
// dim).
int regions_within_reach(std::span<const float> psi, std::span<const float> later, size_t dim, int most = kMostRegions);

// The fewest steps, from 25 on in steps of the root of two, in which the data get so far that kMostRegions regions are
// at most twice as far apart; at most half of the longest episode.
int steps_to_next_region(const Model& model, const Dataset& data, int threads);

// the whole map as one region: no route, the goal is the subgoal
ClusterGraph one_region(const Model& model, size_t rows);

// Where psi of all states would take too much memory, the centres are found on an even sample of them; all states are
// then passed over in blocks to find their regions. The observations of `data` must be open, its episodes cut.
ClusterGraph make_regions(const Model& model, const Dataset& data, const RegionParams& params);

}  // namespace alps
