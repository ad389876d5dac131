#include "alps/run/policies.h"

#include "alps/base/names.h"
#include "alps/collect/recipe.h"
#include "alps/plan/actor_policy.h"
#include "alps/plan/direction_policy.h"
#include "alps/plan/planning_policy.h"
#include "alps/plan/two_level_policy.h"
#include "alps/run/profiles.h"

namespace alps {
namespace {

// the settings that a preset gives for the run's data
PlannerSettings preset_settings(const Run& run, const std::string& preset) {
  const RunConfig& c = run.config;
  if (preset == c.preset) return c.settings<PlannerSettings>();
  Profile profile;
  add_planning(profile, preset, c.survey, c.planning, paper_row(find_recipe(c.data_name)));
  measure_networks(profile, preset, *run.model, c.trust);
  return profile.get<PlannerSettings>();
}

using Make = std::unique_ptr<Policy> (*)(const Run& run, const std::string& variant, const PlannerSettings& settings);

struct PolicyRow {
  const char* name;  // Method::policy of learn/method.h
  Make make;
};

const PolicyRow kPolicies[] = {
    {"planner",
     [](const Run& run, const std::string& variant, const PlannerSettings& settings) -> std::unique_ptr<Policy> {
       return planning_policy(run.bundle, run.model, run.graph, variant, settings);
     }},
    {"actor",
     [](const Run& run, const std::string&, const PlannerSettings&) -> std::unique_ptr<Policy> {
       return std::make_unique<ActorPolicy>(run.bundle);
     }},
    {"two_levels",
     [](const Run& run, const std::string&, const PlannerSettings&) -> std::unique_ptr<Policy> {
       return std::make_unique<TwoLevelPolicy>(run.bundle);
     }},
    {"directions",
     [](const Run& run, const std::string&, const PlannerSettings&) -> std::unique_ptr<Policy> {
       return std::make_unique<DirectionPolicy>(run.bundle);
     }},
    {"waypoints",
     [](const Run& run, const std::string&, const PlannerSettings&) -> std::unique_ptr<Policy> {
       return std::make_unique<DirectionPolicy>(
           run.bundle, std::make_shared<WaypointGraph>(load_waypoints(run.folder / "waypoints.npz")));
     }},
};

}  // namespace

PlannerSettings planner_settings(const Run& run, const PolicyChoice& choice) {
  const std::vector<std::string> names = {"run", "fast", "paper"};
  if (choice.planner != "run" && choice.planner != "fast" && choice.planner != "paper")
    throw UsageError("no planner '", choice.planner, "'", nearest_hint(choice.planner, names),
                     "; there are run, fast and paper");
  if (run.config.policy != "planner" && !choice.set.empty())
    throw UsageError("--set ", choice.set.front(), ": the run's method, ", run.config.method, ", does not plan");
  return with_assignments(preset_settings(run, choice.planner == "run" ? run.config.preset : choice.planner),
                          choice.set);
}

MakePolicy make_policy(const Run& run, const std::string& variant, const PlannerSettings& settings) {
  for (const PolicyRow& row : kPolicies) {
    if (row.name != run.config.policy) continue;
    // copies share the networks, the graph and the pruned graphs of the router
    const std::shared_ptr<const Policy> first = row.make(run, variant, settings);
    return [first] { return first->clone(); };
  }
  throw Error(run.folder.string(), ": config.json asks for policy '", run.config.policy,
              "', which this alps does not have; train the run anew");
}

}  // namespace alps
