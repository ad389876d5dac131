// A trained run as the verbs use it, and the options of a planner on the command line.
#pragma once

#include "alps/run/run.h"
#include "cli/verbs.h"

namespace alps::cli {

// the settings of a planner, as the command line gives them
struct PlannerArgs : PlannerChoice {
  void add_to(CLI::App& verb);
  PlannerConfig resolve(const Run& run) const { return planner_config(run, *this); }
};

}  // namespace alps::cli
