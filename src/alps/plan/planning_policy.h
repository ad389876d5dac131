// Which policy plans with a run's networks: the planner of moves (factor_planner.h) where training found things that
// rest while others move, otherwise the planner over regions (planner.h). The program, Python and the C interface all
// ask here.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "alps/plan/planner.h"

namespace alps {

// `model` is what planning takes from `bundle`; `graph` may be null in variants without a route
std::unique_ptr<Policy> planning_policy(std::shared_ptr<const Bundle> bundle, std::shared_ptr<const Model> model,
                                        std::shared_ptr<const ClusterGraph> graph, const std::string& variant,
                                        const PlannerSettings& settings);

// The policy of a run folder, with the settings of its config.json. Errors are those of load_planner, which always
// gives the planner over regions.
std::unique_ptr<Policy> load_policy(const std::filesystem::path& run, const LoadPlannerOptions& options = {});

}  // namespace alps
