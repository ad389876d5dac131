#include "alps/plan/decision.h"

#include <utility>

namespace alps {

void Decision::clear() {
  Decision fresh;
  const auto keep = [&](auto... lists) { ((this->*lists).clear(), ...), (std::swap(this->*lists, fresh.*lists), ...); };
  keep(&Decision::action, &Decision::route, &Decision::psi, &Decision::subgoal, &Decision::plan, &Decision::best_costs,
       &Decision::elite_costs, &Decision::imagined, &Decision::imagined_plan);
  *this = std::move(fresh);
}

}  // namespace alps
