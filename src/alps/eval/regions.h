// From a trained representation and its data set to the regions of the map: psi of all states, k-means, the graph.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "alps/data/dataset.h"
#include "alps/graph/cluster_graph.h"
#include "alps/nn/model.h"

namespace alps {

struct RegionParams {
  int clusters = 0;  // 0: by the data set's name, else by its size
  double top_p = 0.95;
  uint64_t seed = 0;
  int threads = 0;
  size_t memory = 0;  // bytes that psi of the states may take; 0: a quarter of the machine's memory
  std::function<void(const std::string&)> say = {};  // what the user should know
};

// 64 medium, 96 large and teleport, 128 giant; for bodies larger than a point 192 large, 512 giant, and for those that
// only explored 128 medium, else 256; 8 manipulation, 16 Maze2D; else about the cube root of the rows
int default_clusters(std::string_view data_name, size_t rows);

// the whole map as one region: no route, the goal is the subgoal
ClusterGraph one_region(const Model& model, size_t rows);

// Bodies that can fall have regions of even size. Of data that only explore, where more than a quarter of them are
// traps (graph/cluster_graph.h), the map is cut again without the states in traps, which then belong to no region.
// Where psi of all states would take too much memory, the centres are found on an even sample of them; all states are
// then passed over in blocks to find their regions. The observations of `data` must be open.
ClusterGraph make_regions(const Model& model, const Dataset& data, const RegionParams& params);

}  // namespace alps
