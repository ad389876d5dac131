// The settings of the planner: one flat table (base/profile.h) for parsing, --help, config.json, result rows, Python
// keywords and the page's controls. The defaults are those of preset `fast` for data of which nothing was measured;
// RUN/config.json holds the values of a run. Which parts of the planner act (route, prior,
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
  bool by_factors = true;
  bool search = true;
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
  int doubt = 20;
  double nudge = 0.5;
  double unrest = 0;
  double top_p = 0.95;
  bool relax_top_p = true;
  bool avoid_traps = true;
  bool avoid_doors = true;
  double one_way = 0.1;
  bool clip_goal = true;
  double budget_ms = 0;
  int threads = 1;
  std::string precision = "auto";
  int shown = 0;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit(
        "by_factors", s.by_factors, Range{0, 1},
        "where training found things that rest while others move (factors), move one of them at a time; off: plan over "
        "regions of the whole state. Only for variants alps and dijkstra+prior");
    visit("search", s.search, Range{0, 1},
          "with a prior: search for better actions than its own; off where what the forward model imagines of other "
          "actions does not come true");
    visit("samples", s.samples, Range{1, 1e6},
          "action sequences that CEM draws in each iteration; more find better plans and take longer");
    visit("horizon", s.horizon, Range{1, 1000},
          "actions in a sequence; longer ones look further ahead, as far as the forward model can be trusted");
    visit("iterations", s.iterations, Range{1, 1e6}, "iterations of CEM; more refine the plan and take longer");
    visit("elite_ratio", s.elite_ratio, Range{0, 1},
          "share of the samples that become elites; a smaller share converges faster, and sooner to a bad plan");
    visit("sigma", s.sigma, Range{0, 100},
          "standard deviation of the noise around the prior's proposal; raise it where the prior is vague, lower it "
          "where the model is wrong away from the data");
    visit("sigma_floor", s.sigma_floor, Range{0, 1},
          "least standard deviation in later iterations, as a share of sigma; larger keeps them exploring");
    visit("noise_beta", s.noise_beta, Range{0, 1},
          "correlation of the noise of two successive actions; 0 where a few steps cross the world");
    visit("momentum", s.momentum, Range{0, 1},
          "share of the old mean that stays in the new one; larger smooths the plan");
    visit("keep_elites", s.keep_elites, Range{0, 1},
          "the elites of an iteration compete with the next samples; helps where samples are few");
    visit("penalty", s.penalty, Range{0, 1e6},
          "weight of the actions' size in the cost (lambda of eq. 4); raise it where actions are jerky");
    visit("samples_alone", s.samples_alone, Range{1, 1e6},
          "samples of the variants without a prior (cem, dijkstra+cem); raise it where their plans are poor");
    visit("iterations_alone", s.iterations_alone, Range{1, 1e6},
          "iterations of the variants without a prior; raise it where samples_alone is small");
    visit("sigma_alone", s.sigma_alone, Range{0, 100},
          "sigma of the variants without a prior; 1 reaches every action from a mean of zero");
    visit("keep_plan", s.keep_plan, Range{0, 1},
          "with a prior: start from the rest of the last plan where it is cheaper than the prior's proposal; for "
          "bodies that follow a plan exactly");
    visit("warm_start", s.warm_start, Range{0, 1},
          "without a prior: start from the rest of the last plan; off: start from zero at every decision, as the paper "
          "does");
    visit("fall_back", s.fall_back, Range{0, 1e6},
          "after this many decisions in another region of the route, the route goes on from that region; raise it "
          "where the agent flickers between regions; 0: never");
    visit("patience", s.patience, Range{0, 1e6},
          "after this many decisions without progress, the passage ahead is closed for the episode and another route "
          "is taken; about three times what the body needs from one region to the next; 0: never");
    visit("far", s.far, Range{0, 1e6},
          "without a route: a goal further away than this many times the usual distance of the prior's training goals "
          "is replaced by a nearer point in the same direction; lower it where the prior does nothing far from the "
          "goal; 0: never");
    visit(
        "doubt", s.doubt, Range{0, 1e6},
        "after this many decisions without progress the search is doubted, and the prior acts alone for four times as "
        "many; lower it where the model is wrong about walls; 0: never");
    visit(
        "nudge", s.nudge, Range{0, 10},
        "standard deviation of noise that is added to the action where the agent is stuck: where the state is exactly "
        "one of a moment ago, and for 12 decisions after every 40 without progress; 0: none");
    visit(
        "unrest", s.unrest, Range{0, 10},
        "after 40 decisions without progress, standard deviation of noise that is new at every decision and takes the "
        "place of nudges that are held; that of the data, for bodies that fall if pushed and lie still without it; 0: "
        "none");
    visit("top_p", s.top_p, Range{1e-6, 1},
          "each region keeps its most frequent neighbours until they cover this share of its passages; lower it to "
          "leave out rare passages; 1 keeps all");
    visit("relax_top_p", s.relax_top_p, Range{0, 1},
          "where pruning by top_p leaves no route to the goal, prune less; off: head straight for the goal then, as "
          "the paper does");
    visit("avoid_traps", s.avoid_traps, Range{0, 1},
          "routes pass regions that are hardly ever entered or left (fallen bodies) only if there is no other way");
    visit("avoid_doors", s.avoid_doors, Range{0, 1},
          "routes pass regions from which many steps are leaps (teleports) only if there is no other way");
    visit(
        "one_way", s.one_way, Range{0, 0.5},
        "routes cross a passage only in directions that at least this share of its crossings took, unless there is no "
        "other way; for bodies with momentum, and where the way back is another one; 0: in both directions");
    visit("clip_goal", s.clip_goal, Range{0, 1},
          "a column of the goal that lies beyond all values that the data ever reach counts as the nearest of them; "
          "first "
          "states of episodes may have such columns; off: the goal as it is");
    visit("budget_ms", s.budget_ms, Range{0, 1e9},
          "milliseconds for a decision: act on the best plan found by then, for control at a fixed rate; 0: no limit");
    visit("threads", s.threads, Range{1, 1024},
          "threads of one decision; raise it where a single agent decides on an otherwise idle machine");
    visit("precision", s.precision, Choices{"auto", "fp32", "bf16"},
          "number format of the networks in the search: bf16 is faster, fp32 gives the same decisions on every "
          "processor; auto: bf16 where the processor has it");
    visit(
        "shown", s.shown, Range{0, 1e6},
        "candidates of each iteration whose imagined states the decision keeps, for pictures; the plan stays the same");
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
