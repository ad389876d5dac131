// A trained run as programs use it: its settings, model and graph. Where the rooms come together; the program and the
// Python package are built on this room. What acts for a run is made in policies.h.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "alps/eval/regions.h"
#include "alps/graph/cluster_graph.h"
#include "alps/learn/run_config.h"
#include "alps/nn/model.h"

namespace alps {

struct Run {
  std::filesystem::path folder;
  RunConfig config;
  std::shared_ptr<const Model> model;
  std::shared_ptr<const ClusterGraph> graph;

  std::string env_name() const;  // of the environment that the data come from; throws for data of the user's own
};

// Opens RUN; Error where its graph is missing. Where `regions` asks for another number of clusters, a graph is made
// from the data set for the caller and RUN stays as it is.
Run open_run(const std::filesystem::path& folder, const RegionParams& regions = {});

// makes RUN/graph.npz anew
std::shared_ptr<const ClusterGraph> rebuild_graph(const std::filesystem::path& folder, const RunConfig& config,
                                                  const Model& model, const RegionParams& regions);

}  // namespace alps
