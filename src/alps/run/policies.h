// The policies of a run: a factory that makes them from the run and the user's choice. Every caller (evaluation, films,
// the page, Python) gets its policies here. The table of policies is in policies.cc.
#pragma once

#include <string>
#include <vector>

#include "alps/plan/planner_settings.h"
#include "alps/plan/policy.h"
#include "alps/run/run.h"

namespace alps {

struct PolicyChoice {
  std::string variant = "alps";  // of the planner
  std::string planner = "run";   // its settings to start from: the run's own, or those of a preset, "fast" or "paper"
  std::vector<std::string> set;  // "key=value" of PlannerSettings, on top of them
};

// the settings that a choice comes to
PlannerSettings planner_settings(const Run& run, const PolicyChoice& choice);
// Error or UsageError at once where the run lacks what the choice needs; the factory itself does not fail. Runs of
// methods that do not plan take no variant and no settings.
MakePolicy make_policy(const Run& run, const std::string& variant, const PlannerSettings& settings);

}  // namespace alps
