// What one may change on the page: the seed, the axes looked along and, for runs that plan, the variant and the
// planner's settings (every field of PlannerSettings). The controls of the page are made from `table`.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "alps/run/policies.h"
#include "viewer/view_run.h"

namespace alps::viewer {

struct Settings {
  std::string variant = "alps", planner = "run";
  std::map<std::string, std::string> own;  // key -> value of what was changed on the page
  uint64_t seed = 0;
  Axes axes;

  void begin_with(const PolicyChoice& choice);
  // Takes over the keys of `changes`; null takes a setting back to the planner's value. UsageError names what is wrong.
  void change(const ViewRun& view, const nlohmann::json& changes);
  // What the planner is made with. Searches that would keep the page waiting get a limit of time.
  PlannerSettings resolve(const ViewRun& view) const;
  nlohmann::json json(const ViewRun& view) const;
};

// {"settings": [{"key", "kind", "least", "most", "choices", "help", "main"}], "variants": [{"name", "search",
// "unused"}],
//  "planners": ["run", "fast", "paper"]}
nlohmann::json table();

}  // namespace alps::viewer
