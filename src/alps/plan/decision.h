// What a policy answers to an observation: the action, and a trace of how the action was found. Pictures, logs and the
// census of failures read the trace; policies never draw. Fields that a policy has no value for stay empty: a policy
// that only imitates fills in the action and the time.
#pragma once

#include <cstddef>
#include <vector>

namespace alps {

struct Decision {
  std::vector<float> action;  // in the units of the data

  // How far observation and goal lie from the data (plan/familiarity.h): up to 1 within what was recorded, more the
  // further outside; -1: the run does not know.
  double off_data = -1, goal_off_data = -1;

  // high level: the route over regions
  int cluster = -1, target = -1, goal_cluster = -1;  // region of the state, subgoal and goal; -1 without regions
  std::vector<int> route;                            // regions ahead; the first is the one before the target
  std::vector<float> psi, subgoal;                   // psi of the state, and z_sub
  double subgoal_distance = 0, goal_distance = 0;    // in psi
  bool replanned = false;                            // the state had drifted off the route
  bool advanced = false;                             // the state entered the target cluster
  bool detour = false;                               // no progress for too long: a passage was closed
  int closed_from = -1, closed_to = -1;              // the regions on both sides of that passage
  bool no_route = false;                             // the graph has no route: the goal is the subgoal
  double top_p = 0;                                  // the pruning with which the route was found

  // high level where the data have factors (plan/factor_planner.h): which thing goes where, the present move first
  struct Step {
    int factor = 0;               // from 0
    std::vector<size_t> columns;  // of the observation
    std::vector<float> to;        // where they shall rest, in the units of the data
  };
  std::vector<Step> steps;

  // low level: the search
  std::vector<float> plan;                     // (horizon, action_size), in the units of the data
  bool kept_plan = false;                      // the search started from the last plan
  std::vector<float> best_costs, elite_costs;  // of each iteration
  double total_ms = 0, embed_ms = 0, propose_ms = 0, search_ms = 0;

  // What the model imagines, where PlannerSettings::shown asks for it: normalized states, the present one first.
  struct Imagined {
    size_t elites = 0;          // the first `elites` candidates are elites, ordered by cost
    std::vector<float> states;  // (candidates, horizon + 1, state_size)
    std::vector<float> costs;   // (candidates); infinity where the rollout was given up
  };
  std::vector<Imagined> imagined;    // of each iteration
  std::vector<float> imagined_plan;  // (horizon + 1, state_size)

  void clear();  // as new, but for the memory of the lists, which is kept
};

}  // namespace alps
