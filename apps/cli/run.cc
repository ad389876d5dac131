#include "cli/run.h"

namespace alps::cli {

void PlannerArgs::add_to(CLI::App& verb) {
  verb.add_option("--variant", variant, "alps, or an ablation: cem, prior, cem+prior, dijkstra+cem, dijkstra+prior")
      ->capture_default_str();
  verb.add_option("--planner", planner, "settings of the search: fast, or paper (the paper's table)")
      ->capture_default_str();
  verb.add_option("--budget_ms", budget_ms, "anytime: act on the best plan found in so many milliseconds")
      ->check(CLI::PositiveNumber);
  verb.add_option(
          "--set", set,
          "override: samples, horizon, iterations, elite_ratio, sigma, noise_beta, momentum, keep_elites, penalty, "
          "keep_plan, fall_back, patience, far, narrow, nudge, precision")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

}  // namespace alps::cli
