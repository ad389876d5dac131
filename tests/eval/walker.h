// A planner made by hand that walks a point maze: psi is the place, so that it heads straight for its subgoal, and
// there are two regions, around (0, 0) and (4, 0).
#pragma once

#include "alps/plan/planner.h"

namespace alps {

inline Planner walker() {
  auto model = std::make_shared<Model>();
  model->mean = {0, 0};
  model->deviation = {1, 1};
  model->actions.limit = {1, 1};
  model->representation = Mlp({Linear(2, 2, {1, 0, 0, 1}, {0, 0})});
  model->eigenvalues = {1, 1};
  model->model = Mlp({Linear(4, 2, {0, 0, 0.2f, 0, 0, 0, 0, 0.2f}, {0, 0})});
  model->change_mean = {0, 0};
  model->change_deviation = {1, 1};
  auto graph = std::make_shared<ClusterGraph>();
  graph->dim = 2;
  graph->centers = {0, 0, 4, 0};
  graph->sizes = {10, 10};
  graph->passages = {0, 9, 9, 0};
  PlannerSettings settings;
  settings.samples_alone = 30;
  settings.iterations_alone = 3;
  settings.nudge = 0;
  return Planner(model, graph, "dijkstra+cem", settings);
}

}  // namespace alps
