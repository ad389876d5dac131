#include "cli/run.h"

namespace alps::cli {

void PlannerArgs::add_to(CLI::App& verb) {
  verb.add_option("--variant", variant,
                  "which parts of the planner act: alps (all), or cem, prior, cem+prior, dijkstra+cem, dijkstra+prior")
      ->capture_default_str();
  verb.add_option("--planner", planner,
                  "settings of the planner: the run's own, or those of a preset for its data (run, fast, paper)")
      ->capture_default_str()
      ->check(CLI::IsMember({"run", "fast", "paper"}));
  verb.add_option("--budget_ms", budget_ms,
                  "milliseconds for a decision: act on the best plan found by then; short for --set budget_ms=")
      ->check(CLI::PositiveNumber);
  verb.add_option("--set", set, "change a setting of the planner, listed below; may be given several times")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  verb.footer("Settings of the planner (--set key=value), with defaults; RUN/config.json has a run's own.\n" +
              settings_help(planner_profile()));
}

PlannerSettings PlannerArgs::resolve(const Run& run) const {
  if (run.config.policy != "planner") {
    const PlannerArgs none;
    const char* given = variant != none.variant ? "--variant" : planner != none.planner ? "--planner" : nullptr;
    if (given != nullptr)
      throw UsageError(given, ": the run's method, ", run.config.method, ", does not plan; leave the option out");
  }
  PolicyChoice choice = *this;
  if (budget_ms > 0) choice.set.insert(choice.set.begin(), "budget_ms=" + number_text(budget_ms));
  return planner_settings(run, choice);
}

}  // namespace alps::cli
