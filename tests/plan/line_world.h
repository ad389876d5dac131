// A world made by hand for tests of planning: a line on which psi is the position, the model adds 0.4 times the action,
// and the prior walks half the way towards its goal. Clusters lie at 0, 1, 2, 3, 4 and are passed in order.
#pragma once

#include <memory>
#include <vector>

#include "alps/graph/cluster_graph.h"
#include "alps/nn/model.h"
#include "alps/plan/planner_settings.h"

namespace alps {

inline constexpr float kLineLimit = 0.4f;  // of an action

inline std::shared_ptr<Model> line_model() {
  auto model = std::make_shared<Model>();
  model->mean = {0};
  model->deviation = {1};
  model->actions.limit = {kLineLimit};
  model->representation = Mlp({Linear(1, 1, {1}, {0})});
  model->eigenvalues = {1};
  model->model = Mlp({Linear(2, 1, {0, kLineLimit}, {0})});
  model->change_mean = {0};
  model->change_deviation = {1};
  model->prior = Mlp({Linear(3, 1, {0, -0.5f / kLineLimit, 0.5f / kLineLimit}, {0})});
  return model;
}

inline std::shared_ptr<ClusterGraph> line_graph() {
  auto graph = std::make_shared<ClusterGraph>();
  graph->dim = 1;
  graph->centers = {0, 1, 2, 3, 4};
  graph->sizes.assign(5, 10);
  graph->passages.assign(25, 0);
  for (int c = 0; c < 4; ++c) graph->passages[c * 5 + c + 1] = graph->passages[(c + 1) * 5 + c] = 100;
  return graph;
}

// the paper's, smaller: nothing of what alps adds is on
inline PlannerSettings line_settings() {
  PlannerSettings s = paper_planner_settings();
  s.samples = s.samples_alone = 100;
  s.horizon = 3;
  s.iterations = s.iterations_alone = 4;
  s.sigma_alone = 0.5;
  s.warm_start = true;
  return s;
}

}  // namespace alps
