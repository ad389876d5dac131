// The planner (paper, alg:ALPS): a policy that finds each action by planning. It has three pieces. The route follower
// (route_follower.h) chooses the next region on the way to the goal; the centre of that region is the subgoal z_sub.
// The proposer (proposal.h) gives a first plan. The search (cem.h, rollout.h) improves this plan; it minimizes, through
// the forward model,   J = sum_t |psi(s_t) - z_sub|^2 + penalty |a_t|^2                                       (eq. 4)
// Five of the six variants leave pieces out (tab:all_ablations). Needs neither torch nor an environment.
//
// Inside, actions u are in units of the action limit, so in [-1, 1]; decisions are in the units of the data.
//
// Threads: model and graph are immutable and may be shared by any number of planners in any threads. A Planner belongs
// to one thread at a time and takes no lock; calls at once from two threads on one Planner are a data race. Give each
// thread its own by clone() or by copying. `threads` > 1 lets one decision use that many threads of a pool that all
// planners of the process share. The same seed, settings and observations give the same decisions whatever `threads`
// is, unless `budget_ms` cuts the search short. The library sets no signal handlers, environment variables or global
// options. alps::Error (a std::runtime_error) is thrown for what the caller can mend; after one, the planner is as
// before.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "alps/graph/cluster_graph.h"
#include "alps/nn/model.h"
#include "alps/plan/cem.h"
#include "alps/plan/familiarity.h"
#include "alps/plan/planner_settings.h"
#include "alps/plan/policy.h"
#include "alps/plan/proposal.h"
#include "alps/plan/rollout.h"
#include "alps/plan/route_follower.h"

namespace alps {

class Planner : public Policy {
 public:
  // `graph` may be null in variants without a route. Error where a part that the variant needs is missing or does not
  // fit the others, UsageError for settings out of range.
  Planner(std::shared_ptr<const Model> model, std::shared_ptr<const ClusterGraph> graph,
          const std::string& variant = "alps", const PlannerSettings& settings = {});

  void reset(Observation goal, Rng rng) override;
  Decision act(Observation observation) override;
  // After some decisions of an episode this one allocates no memory, but for a passage that is closed, and with
  // `shown`.
  void act_into(Observation observation, Decision& decision) override;
  std::unique_ptr<Policy> clone() const override { return std::make_unique<Planner>(*this); }
  const PolicySpec& spec() const override { return spec_; }
  const ClusterGraph* regions() const override { return follower_ ? &follower_->graph() : nullptr; }

  size_t observation_size() const { return spec_.observation_size(); }
  size_t action_size() const { return spec_.action_size(); }
  const std::string& variant() const { return variant_name_; }
  const PlannerSettings& settings() const { return settings_; }
  const Model& model() const { return *model_; }

 private:
  static constexpr size_t kRecent = 8;

  void embed(const Observation& observation, std::span<float> psi);
  void search(const Decision& decision, const RolloutParams& rollout);
  void finish(Decision& decision);
  void clip_goal();
  void nudge();
  bool seen_recently();

  std::shared_ptr<const Model> model_;
  std::shared_ptr<const ClusterGraph> graph_;  // null: without a route, and unable to tell how familiar a state is
  std::string variant_name_;
  Variant variant_;
  PlannerSettings settings_;
  Precision precision_;
  PolicySpec spec_;

  // what changes during an episode
  Rng rng_;
  std::vector<float> goal_psi_;
  double goal_off_data_ = -1;
  std::optional<RouteFollower> follower_;
  Proposer proposer_;
  std::vector<float> state_;                        // normalized, of this decision
  Proposal proposal_;                               // its first plan
  CemResult found_;                                 // and the better one
  std::array<std::vector<float>, kRecent> recent_;  // states of the last decisions, in turn
  size_t decisions_ = 0;                            // of this episode
  std::vector<float> nudge_;                        // noise on the next action, in units of the action limit
  std::chrono::nanoseconds block_time_{0};          // what a block of rollouts takes, for deadlines
};

struct LoadPlannerOptions {
  std::string variant = "alps";
  std::vector<std::string> set;  // "key=value" of PlannerSettings, for example "budget_ms=20"
};

// The planner of a run folder: its model.safetensors, graph.npz, and the settings of its config.json. Error where one
// of them is missing, UsageError for a key or value that does not exist.
Planner load_planner(const std::filesystem::path& run, const LoadPlannerOptions& options = {});

}  // namespace alps
