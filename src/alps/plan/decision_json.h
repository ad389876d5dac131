// A Decision as JSON. `alps plan --json`, the events of the page and Decision.trace in Python are all written here,
// with the same keys in the same structure:
//   action, off_data and goal_off_data (null: not known), cluster, target, goal_cluster, route, replanned, advanced,
//   detour, closed ([from, to] or null), no_route, top_p, psi, subgoal, subgoal_distance, goal_distance, plan,
//   kept_plan, best_costs, elite_costs, imagined [{iteration, elite, cost, path}], imagined_plan, ms {total, embed,
//   propose, search}
// A number that is not finite becomes null. Needs the headers of nlohmann-json.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "alps/plan/decision.h"

namespace alps {

struct DecisionJsonOptions {
  int decimals = -1;  // to which numbers are rounded; -1: not at all
  // Imagined states (n, state_size) -> the numbers that `path` and `imagined_plan` hold instead of them, for example
  // two coordinates for each state.
  std::function<std::vector<double>(std::span<const float> states)> place = {};
};

nlohmann::ordered_json decision_json(const Decision& decision, const DecisionJsonOptions& options = {});

}  // namespace alps
