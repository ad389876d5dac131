#include "alps/plan/planning_policy.h"

#include <utility>

#include "alps/plan/factor_planner.h"

namespace alps {
namespace {

bool moves_things(const Bundle& bundle, const std::string& variant, const PlannerSettings& settings) {
  const Variant parts = variant_named(variant);
  return settings.by_factors && parts.route && parts.prior && plans_by_factors(bundle);
}

}  // namespace

std::unique_ptr<Policy> planning_policy(std::shared_ptr<const Bundle> bundle, std::shared_ptr<const Model> model,
                                        std::shared_ptr<const ClusterGraph> graph, const std::string& variant,
                                        const PlannerSettings& settings) {
  if (bundle && moves_things(*bundle, variant, settings))
    return std::make_unique<FactorPlanner>(std::move(bundle), std::move(model), std::move(graph));
  return std::make_unique<Planner>(std::move(model), std::move(graph), variant, settings);
}

std::unique_ptr<Policy> load_policy(const std::filesystem::path& run, const LoadPlannerOptions& options) {
  // whatever is wrong with the run, this says it
  auto planner = std::make_unique<Planner>(load_planner(run, options));
  auto bundle = std::make_shared<Bundle>(load_bundle(run));
  if (!moves_things(*bundle, options.variant, planner->settings())) return planner;
  auto model = std::make_shared<Model>(*bundle);
  auto graph = std::make_shared<ClusterGraph>(load_graph(run / "graph.npz"));
  return std::make_unique<FactorPlanner>(std::move(bundle), std::move(model), std::move(graph));
}

}  // namespace alps
