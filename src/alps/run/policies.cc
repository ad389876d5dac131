#include "alps/run/policies.h"

#include "alps/plan/planner.h"

namespace alps {

PlannerSettings planner_settings(const Run& run, const PolicyChoice& choice) {
  if (choice.planner == "paper") return with_assignments(paper_planner_settings(), choice.set);
  if (choice.planner != "run") throw UsageError("no planner '", choice.planner, "'; there are run and paper");
  return with_assignments(load_planner_profile(run.folder).get<PlannerSettings>(), choice.set);
}

MakePolicy make_policy(const Run& run, const std::string& variant, const PlannerSettings& settings) {
  // copies share the model, the graph and the pruned graphs of the router
  const auto first = std::make_shared<const Planner>(run.model, run.graph, variant, settings);
  return [first] { return first->clone(); };
}

}  // namespace alps
