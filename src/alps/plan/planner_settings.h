// The settings of the planner: one flat table (base/profile.h) for parsing, --help, config.json, result rows, Python
// keywords and the page's controls. The defaults are those of preset `fast` for a world that nobody knows; what was
// measured from the data when a run was trained is in RUN/config.json. Which parts of the planner act (route, prior,
// search) is not a setting but the variant.
//
// All sizes of actions (sigma, nudge, penalty) are in units of the action limit: 1 is the largest action of the data.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "alps/base/profile.h"
#include "alps/nn/mlp.h"
#include "alps/plan/cem.h"

namespace alps {

// Which parts act (paper, tab:all_ablations): "alps" has all three.
struct Variant {
  bool route = true;   // Dijkstra over the cluster graph; otherwise straight for the goal
  bool prior = true;   // the behaviour prior proposes; otherwise the search starts alone
  bool search = true;  // CEM; otherwise the proposal itself is acted on
};
// "cem", "prior", "cem+prior", "dijkstra+cem", "dijkstra+prior", "alps"
Variant variant_named(std::string_view name);
const std::vector<std::string>& variant_names();

struct PlannerSettings {
  int samples = 32;
  int horizon = 10;
  int iterations = 2;
  double elite_ratio = 0.15;
  double sigma = 0.15;
  double sigma_floor = 0.05;
  double noise_beta = 0.9;
  double momentum = 0.3;
  bool keep_elites = true;
  double penalty = 0.01;
  int samples_alone = 32;
  int iterations_alone = 2;
  double sigma_alone = 1.0;
  bool keep_plan = false;
  bool warm_start = true;
  int fall_back = 5;
  int patience = 100;
  double far = 4;
  double narrow = 0;
  double nudge = 0.5;
  double top_p = 0.95;
  bool relax_top_p = true;
  bool avoid_traps = true;
  bool avoid_doors = true;
  double budget_ms = 0;
  int threads = 1;
  std::string precision = "auto";
  int shown = 0;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("samples", s.samples, Range{1, 1e6},
          "action sequences that CEM draws in each iteration; more find better plans and take longer");
    visit("horizon", s.horizon, Range{1, 1000},
          "actions in a sequence; longer ones look further ahead, as far as the forward model can be trusted");
    visit("iterations", s.iterations, Range{1, 1e6}, "iterations of CEM; more refine the plan and take longer");
    visit("elite_ratio", s.elite_ratio, Range{0, 1},
          "share of the samples that are elites; fewer converge faster, and sooner to a bad plan");
    visit("sigma", s.sigma, Range{0, 100},
          "deviation of the noise around the prior's proposal; larger where the prior is vague, smaller where the "
          "model errs away from it");
    visit("sigma_floor", s.sigma_floor, Range{0, 1},
          "least deviation, as a share of sigma; larger keeps later iterations exploring");
    visit("noise_beta", s.noise_beta, Range{0, 1},
          "correlation of the noise of two successive actions; 0 where one step is a long way");
    visit("momentum", s.momentum, Range{0, 1}, "share of the old mean in the new one; larger smooths the plan");
    visit("keep_elites", s.keep_elites, Range{0, 1},
          "the elites of an iteration compete with the next samples; helps searches with few samples");
    visit("penalty", s.penalty, Range{0, 1e6},
          "cost of large actions (lambda of eq. 4); raise it where actions are jerky");
    visit("samples_alone", s.samples_alone, Range{1, 1e6},
          "samples of the variants without a prior (cem, dijkstra+cem), which need more than with one");
    visit("iterations_alone", s.iterations_alone, Range{1, 1e6},
          "iterations of the variants without a prior; more where samples_alone are few");
    visit("sigma_alone", s.sigma_alone, Range{0, 100},
          "sigma of the variants without a prior; 1 reaches every action from a mean of zero");
    visit("keep_plan", s.keep_plan, Range{0, 1},
          "with a prior: start from the last plan moved on by one step where it is cheaper than the prior's; shortens "
          "the way of bodies that follow a plan exactly");
    visit("warm_start", s.warm_start, Range{0, 1},
          "without a prior: start from the last plan moved on by one step, otherwise from zero; off to search afresh "
          "each "
          "time, as the paper does");
    visit("fall_back", s.fall_back, Range{0, 1e6},
          "decisions in another region of the route after which the route goes on from there; raise it where the agent "
          "flickers between regions; 0: never");
    visit("patience", s.patience, Range{0, 1e6},
          "decisions without progress after which a passage of the route is closed and another way is taken; 0: never. "
          "About three times what the body takes from one region to the next");
    visit("far", s.far, Range{0, 1e6},
          "without a route: a goal further than so many times the usual way of the prior's training is shown to it at "
          "that way, in the same direction; lower it where the prior does nothing far from the goal; 0: as it is");
    visit(
        "narrow", s.narrow, Range{0, 1e6},
        "decisions without progress that halve sigma, so that a search which fails comes back to the prior; 0: never");
    visit("nudge", s.nudge, Range{0, 10},
          "deviation of noise on an action that is decided in exactly the state of a moment ago; frees an agent that "
          "stands still where the model expects motion; 0: none");
    visit("top_p", s.top_p, Range{1e-6, 1},
          "share of the passages that the kept neighbours of a region cover; lower prunes rare passages, 1 keeps all");
    visit("relax_top_p", s.relax_top_p, Range{0, 1},
          "prune less where pruning leaves no route to the goal; otherwise the search heads straight for the goal");
    visit("avoid_traps", s.avoid_traps, Range{0, 1},
          "routes go through regions that are hardly ever left or entered only if there is no other way");
    visit("avoid_doors", s.avoid_doors, Range{0, 1},
          "routes go through regions with many leaps (teleports) only if there is no other way");
    visit("budget_ms", s.budget_ms, Range{0, 1e9},
          "act on the best plan found in so many milliseconds, for control at a fixed rate; 0: no limit");
    visit("threads", s.threads, Range{1, 1024},
          "threads of one decision; more where one agent decides on a machine that has nothing else to do");
    visit("precision", s.precision, Choices{"auto", "fp32", "bf16"},
          "of the networks in the search; auto: bf16 where the processor multiplies it. fp32 for the same decisions on "
          "every processor");
    visit("shown", s.shown, Range{0, 1e6},
          "candidates of each iteration whose imagined states the trace tells; for pictures, the plan stays the same");
  }
};

// the paper's table (tab:hyperparameters and appendix "Ablations"), with nothing of what alps adds to the paper
PlannerSettings paper_planner_settings();

// a table of these settings alone, in group "planner"
Profile planner_profile(const PlannerSettings& settings = {});
// The same with the values of RUN/config.json, and after it all other settings of the run. Error for a run of an older
// alps, which has none.
Profile load_planner_profile(const std::filesystem::path& run);

// The settings with "key=value" assignments on top; UsageError names an unknown key, with a hint, or a value out of
// range.
PlannerSettings with_assignments(const PlannerSettings& settings, const std::vector<std::string>& set);
// UsageError for a value out of its range, naming the field
void check_settings(const PlannerSettings& settings);
// the search of a variant: its numbers with a prior, or alone
CemParams search_params(const PlannerSettings& settings, const Variant& variant);
// settings that change nothing in this variant
std::vector<std::string> unused_settings(const Variant& variant);
// "auto", "fp32" or "bf16"; UsageError for bf16 on a processor without it
Precision precision_named(const std::string& name);

}  // namespace alps
