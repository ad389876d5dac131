// A run of the line world (tests/plan/line_world.h) as policies and agents take it, made by hand.
#pragma once

#include "../plan/line_world.h"
#include "alps/run/run.h"

namespace alps {

// few samples and no memory of the last plan, so that other random numbers give another action
inline PlannerSettings run_settings() {
  PlannerSettings s = line_settings();
  s.samples_alone = 8;
  s.horizon = 2;
  s.iterations_alone = 1;
  s.warm_start = false;
  return s;
}

inline Run line_run() {
  return {.folder = "", .config = {}, .bundle = nullptr, .model = line_model(), .graph = line_graph()};
}

}  // namespace alps
