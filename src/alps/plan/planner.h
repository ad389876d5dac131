// The planner (paper, alg:ALPS): from a state and a goal to one action, with a trace of how it was found. High level:
// Dijkstra over the cluster graph gives a route; the next region's centre, or the goal itself in its own region, is
// the subgoal. Low level: CEM through the forward model minimizes
//   J = sum_t |psi(s_t) - z_sub|^2 + penalty |a_t|^2                                                        (eq. 4)
// around a first mean that the behaviour prior proposes (fast, a point: or the last plan moved on, whichever is
// cheaper, because the prior imitates behaviour that was in no hurry). Six variants leave parts of it out
// (tab:all_ablations). Model and graph are immutable and shared; what changes during an episode lives here. Needs no
// torch and no world.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "alps/graph/cluster_graph.h"
#include "alps/nn/model.h"
#include "alps/plan/cem.h"

namespace alps {

struct Variant {
  bool route = true;   // Dijkstra; otherwise straight for the goal
  bool prior = true;   // the prior proposes; otherwise the last plan, moved on by one step
  bool search = true;  // CEM; otherwise the proposal itself is acted on
};
// "alps", "prior", "cem", "cem+prior", "dijkstra+cem", "dijkstra+prior"
Variant variant_named(std::string_view name);
const std::vector<std::string>& variant_names();

struct PlannerConfig {
  std::string preset = "fast";
  std::string variant = "alps";
  CemParams cem;
  double penalty = 0.01;   // lambda of eq. 4
  bool keep_plan = false;  // with a prior: start from the last plan, moved on, where it is cheaper than the prior's
  int fall_back = 0;       // decisions in another region of the route until the target is again the next one; 0: never
  int patience = 0;        // decisions without progress on the route until a passage is closed; 0: no end to it
  double far = 0;          // times the way that the prior knows: a subgoal beyond is shown to it at one; 0: none is
  double narrow = 0;       // decisions without progress that halve sigma, back to the prior; 0: as wide as ever
  double action_limit = 1.0;
  double nudge = 0;      // deviation, in action limits, of noise on an action decided where the episode was moments ago
  double budget_ms = 0;  // anytime: the best plan found when so much time has passed; 0: no limit
  int threads = 1;       // of one decision
  // of the search; psi of the state and of the goal, and the prior, are always computed in fp32
  Precision precision = has_bf16() ? Precision::kBf16 : Precision::kFp32;
};
// The settings of a preset ("fast" or "paper") for a variant; `state_size` tells a point from larger bodies, `method`
// how the representation was learned (PcLast has a search of its own), `spread` how vague the prior is (0: not known).
PlannerConfig planner_preset(std::string_view preset, std::string_view variant, std::string_view data_name,
                             size_t state_size, std::string_view method = "allo", double spread = 0);

// "key=value" for a field above or one of CemParams; UsageError for an unknown key or a value out of range
void set_planner_field(PlannerConfig& config, std::string_view assignment);

struct Decision {
  std::vector<float> action;

  // high level
  int cluster = -1, target = -1, goal_cluster = -1;  // of the state, of the subgoal, of the goal; -1 without a graph
  std::vector<int> route;                            // clusters still ahead, the own one first
  std::vector<float> psi, subgoal;                   // of the state, and z_sub
  double subgoal_distance = 0, goal_distance = 0;    // in psi
  bool replanned = false, advanced = false;          // drifted off the route; entered the target cluster
  bool detour = false;                               // the passage led nowhere for too long and was closed
  int closed_from = -1, closed_to = -1;              // this one, in both directions
  bool no_route = false;                             // no way in the graph: heading for the goal directly
  double top_p = 0;                                  // pruning that left the route open

  // low level
  std::vector<float> plan;                     // (horizon, action_size)
  bool kept_plan = false;                      // the search started from the last plan
  std::vector<float> best_costs, elite_costs;  // of each iteration
  double total_ms = 0, embed_ms = 0, propose_ms = 0, search_ms = 0;

  // what the model imagines, where CemParams::shown asks for it: normalized states, the present one first
  struct Imagined {
    size_t elites = 0;          // the first so many, the cheapest first
    std::vector<float> states;  // (candidates, horizon + 1, state_size)
    std::vector<float> costs;   // (candidates); infinity for those that were given up
  };
  std::vector<Imagined> imagined;    // of each iteration
  std::vector<float> imagined_plan;  // (horizon + 1, state_size)
};

class Planner {
 public:
  Planner(std::shared_ptr<const Model> model, std::shared_ptr<const ClusterGraph> graph, PlannerConfig config);

  // an observation is as in the data; an image its pixels (height, width, channels), as numbers 0 .. 255 or as bytes
  void reset(std::span<const float> goal_observation, Rng rng);  // a new episode
  Decision act(std::span<const float> observation);
  void reset(std::span<const uint8_t> goal_image, Rng rng) {
    reset(std::vector<float>(goal_image.begin(), goal_image.end()), rng);
  }
  Decision act(std::span<const uint8_t> image) { return act(std::vector<float>(image.begin(), image.end())); }

  const PlannerConfig& config() const { return config_; }

 private:
  void check_observation(std::span<const float> observation) const;
  void plan_route(int from);
  void follow_route(Decision& decision);
  bool stalled(const Decision& decision);
  void close_passage(Decision& decision);
  void forget_progress();
  bool seen_recently(const std::vector<float>& state);
  std::vector<float> within_reach(std::span<const float> psi, std::span<const float> subgoal) const;
  std::vector<float> propose(std::span<const float> state, std::span<const float> subgoal) const;
  std::vector<float> imagine(std::span<const float> state, std::span<const float> actions, size_t horizon) const;

  std::shared_ptr<const Model> model_;
  std::shared_ptr<const ClusterGraph> graph_;
  std::optional<Router> router_;
  PlannerConfig config_;
  Variant variant_;

  Rng rng_;
  std::vector<float> goal_psi_;
  int goal_cluster_ = -1;
  std::vector<int> route_;  // clusters of the current high-level plan
  size_t next_ = 0;         // index of the target in it
  int behind_ = 0;          // decisions in a row in a region of the route that is not before the target
  double top_p_ = 0;
  std::vector<float> last_plan_;

  // progress: the least way that was left, decisions since, and the passage that was last crossed in that time
  double least_left_ = 0;
  int idle_ = 0;
  int last_cluster_ = -1;
  std::optional<std::pair<int, int>> crossed_;
  Passages closed_;                         // that led nowhere in this episode
  std::vector<std::vector<float>> recent_;  // states of the last decisions
  // of the rollouts, for deadlines
  std::shared_ptr<std::atomic<std::chrono::nanoseconds>> block_time_ =
      std::make_shared<std::atomic<std::chrono::nanoseconds>>(std::chrono::nanoseconds(0));
};

// The planner of a run folder: its model.safetensors and graph.npz, with the settings that a preset has for its data.
Planner load_planner(const std::filesystem::path& run, std::string_view variant = "alps",
                     std::string_view preset = "fast");

}  // namespace alps
