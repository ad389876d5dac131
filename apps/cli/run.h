// A trained run as the verbs use it, and the options of its policy on the command line.
#pragma once

#include "alps/run/policies.h"
#include "alps/run/run.h"
#include "cli/verbs.h"

namespace alps::cli {

// what the command line says of a policy
struct PlannerArgs : PolicyChoice {
  double budget_ms = 0;

  void add_to(CLI::App& verb);
  PlannerSettings resolve(const Run& run) const;
};

}  // namespace alps::cli
