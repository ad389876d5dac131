// A trained run as the verbs use it: its settings, model and graph.
#pragma once

#include <filesystem>
#include <memory>

#include "alps/eval/regions.h"
#include "alps/learn/run_config.h"
#include "alps/plan/planner.h"
#include "cli/verbs.h"

namespace alps::cli {

struct Run {
  std::filesystem::path folder;
  RunConfig config;
  std::shared_ptr<const Model> model;
  std::shared_ptr<const ClusterGraph> graph;

  std::string env_name() const;  // of the environment that the data come from; throws for data of the user's own
};

// Opens RUN. Its graph is made from the data set when it is not there yet, or when `regions` asks for another number of
// clusters.
Run open_run(const std::filesystem::path& folder, const RegionParams& regions = {});

// makes RUN/graph.npz anew
std::shared_ptr<const ClusterGraph> rebuild_graph(const std::filesystem::path& folder, const RunConfig& config,
                                                  const Model& model, const RegionParams& regions);

// the settings of a planner, as the command line gives them
struct PlannerArgs {
  std::string variant = "alps", planner = "fast";
  double budget_ms = 0;
  std::vector<std::string> set;  // key=value of CemParams and PlannerConfig
  void add_to(CLI::App& verb);
  PlannerConfig resolve(const Run& run) const;
};

}  // namespace alps::cli
