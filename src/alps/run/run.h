// A trained run as programs use it: its settings, networks and graph. Where the rooms come together; the program and
// the Python package are built on this room. What acts for a run is made in policies.h.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "alps/graph/cluster_graph.h"
#include "alps/nn/model.h"
#include "alps/run/run_config.h"

namespace alps {

struct Run {
  std::filesystem::path folder;
  RunConfig config;
  std::shared_ptr<const Bundle> bundle;
  std::shared_ptr<const Model> model;         // what planning takes from the bundle
  std::shared_ptr<const ClusterGraph> graph;  // null for methods that do not plan

  std::string env_name() const;  // of the environment that the data come from; throws for data of the user's own
};

struct RunOptions {
  int clusters = 0;  // another number of regions, made from the data set for the caller; RUN stays as it is
  int threads = 0;
};

// Error where a file of RUN is missing or damaged, with a remedy.
Run open_run(const std::filesystem::path& folder, const RunOptions& options = {});

}  // namespace alps
