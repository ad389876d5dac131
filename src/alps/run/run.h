// A trained run as programs use it: its settings, model and graph, and the planner's settings for it. Where the rooms
// come together; the program and the Python package are built on this room.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "alps/run/regions.h"
#include "alps/learn/run_config.h"
#include "alps/plan/planner.h"

namespace alps {

struct Run {
  std::filesystem::path folder;
  RunConfig config;
  std::shared_ptr<const Model> model;
  std::shared_ptr<const ClusterGraph> graph;

  std::string env_name() const;  // of the environment that the data come from; throws for data of the user's own
};

// Opens RUN. Its graph is made from the data set and kept when it is not there yet; where `regions` asks for another
// number of clusters, one is made for the caller and RUN stays as it is.
Run open_run(const std::filesystem::path& folder, const RegionParams& regions = {});

// makes RUN/graph.npz anew
std::shared_ptr<const ClusterGraph> rebuild_graph(const std::filesystem::path& folder, const RunConfig& config,
                                                  const Model& model, const RegionParams& regions);

// what a user may choose of a planner
struct PlannerChoice {
  std::string variant = "alps", planner = "fast";
  double budget_ms = 0;
  std::vector<std::string> set;  // key=value of CemParams and PlannerConfig
};
PlannerConfig planner_config(const Run& run, const PlannerChoice& choice);

}  // namespace alps
