// The planner for data with factors (data/factors.h): a policy that moves one thing at a time. It has two pieces. The
// route (move_route.h) says which thing goes where next, from the network of outcomes. The mover (learn/mover.h) acts:
// it imitates how the behaviour moved that thing to such a place. A step is done when its thing rests near the wanted
// place. It has failed when the thing comes to rest elsewhere, when it takes longer than nearly all moves of that thing
// in the data, or when everything stands still for longer than in the data. Then the mover acts as after a move: it
// lets go and withdraws. Either way the route is found anew from what is observed. What the goal says of the agent, and
// of columns that belong to no factor, does not count.
#pragma once

#include <memory>

#include "alps/graph/cluster_graph.h"
#include "alps/nn/model.h"
#include "alps/nn/move_inputs.h"
#include "alps/plan/move_route.h"
#include "alps/plan/policy.h"

namespace alps {

// whether a run has what this planner needs
bool plans_by_factors(const Bundle& bundle);

class FactorPlanner : public Policy {
 public:
  // `model` and `graph` tell how familiar observations are; graph may be null. Error where networks do not fit.
  FactorPlanner(std::shared_ptr<const Bundle> bundle, std::shared_ptr<const Model> model,
                std::shared_ptr<const ClusterGraph> graph);

  void reset(Observation goal, Rng rng) override;
  Decision act(Observation observation) override;
  std::unique_ptr<Policy> clone() const override { return std::make_unique<FactorPlanner>(*this); }
  const PolicySpec& spec() const override { return spec_; }
  const ClusterGraph* regions() const override { return graph_.get(); }

 private:
  std::vector<float> values_of(std::span<const float> state) const;
  std::span<const float> part(std::span<const float> values, size_t factor) const;
  Outcomes foresee(std::span<const float> values, std::span<const MoveStep> moves) const;
  void watch(std::span<const float> state, std::span<const float> values);
  bool over(std::span<const float> values);
  bool stuck() const;
  void choose(std::span<const float> values);
  double near(size_t factor) const;
  std::vector<float> mover_action(std::span<const float> state) const;
  void tell_steps(Decision& decision) const;

  std::shared_ptr<const Bundle> bundle_;
  std::shared_ptr<const Model> model_;
  std::shared_ptr<const ClusterGraph> graph_;
  PolicySpec spec_;
  MoveInputs inputs_;
  FactorPlaces factors_;
  std::vector<size_t> first_;           // where each begins among the columns of all
  std::vector<float> rest_, patience_;  // of each column; of each factor, in steps
  size_t window_;                       // steps in which the state stirs by `stir_` at least
  float stir_;

  // what changes during an episode
  std::vector<float> goal_, goal_psi_, last_, rested_at_;
  int since_ = 0;  // decisions since the last move ended
  double goal_off_data_ = -1;
  std::vector<MoveStep> steps_;  // the first is the one that is being made
  bool refining_ = false;        // every factor is near its goal; the one that is furthest off is moved
  std::vector<float> began_;     // where all things were when the step began
  int age_ = 0;                  // decisions since then
  std::vector<float> lately_;    // states of the last `window_` decisions of the step
  std::vector<int> still_;       // decisions for which each factor has rested
  std::vector<int> failures_;    // of moving each factor
};

}  // namespace alps
