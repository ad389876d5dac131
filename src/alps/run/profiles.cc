#include "alps/run/profiles.h"

#include <algorithm>
#include <cmath>

#include "alps/base/progress.h"
#include "alps/data/finding.h"
#include "alps/data/many_joints.h"
#include "alps/plan/planner_settings.h"
#include "alps/run/detail_need.h"
#include "alps/run/regions.h"

namespace alps {
namespace {

// spread of a prior, in action limits: 0.30 to 0.34 where an expert's noise was moderate, 0.71 where it was as large as
// the actions
constexpr double kVague = 0.5;

// share of an imagined difference that comes true: 0.99 to 1.00 where actions are moves
constexpr double kExact = 0.95, kUseful = 0.4;

// share of the action that two successive phi tell: 0.70 to 0.76 in Maze2D, where walls hide the rest; 0.00 of an ant
constexpr double kPlaceIsState = 0.35;

void paper_planning(Profile& profile, const PaperRow& paper) {
  profile.put(paper_planner_settings(), Origin::kPreset);
  RegionSettings regions;
  regions.clusters = paper.clusters;
  regions.region_sizes = "plain";
  profile.put(regions, Origin::kPreset);
  profile.set("horizon", paper.horizon, Origin::kPreset);
  // the paper's data-set dependent values of training
  if (profile.has("gamma")) profile.set("gamma", paper.gamma, Origin::kPreset);
  if (profile.has("model_horizon")) profile.set("model_horizon", paper.model_horizon, Origin::kPreset);
}

void fast_planning(Profile& profile, const Survey& survey) {
  PlannerSettings s;
  // as far ahead as the world is wide, and no further than the model is trained for; the same number of imagined steps
  const std::string pace = str("a step covers a share of ", survey.pace, " of the slowest column's deviation");
  const double pace_of = std::max(survey.pace, 1e-3);
  s.horizon = std::clamp(static_cast<int>(std::lround(0.6 / pace_of)), 2, 10);
  s.samples = s.samples_alone = std::clamp(320 / s.horizon, 32, 128);
  if (s.horizon <= 3) {
    s.noise_beta = 0;  // the second of two long steps often turns a corner
    s.iterations = s.iterations_alone = 5;
    s.sigma = 1;
  }
  profile.put(s, Origin::kMeasured, pace);
}

}  // namespace

Profile planning_profile() {
  Profile profile;
  profile.add<RegionSettings>("regions");
  profile.add<PlannerSettings>("planner");
  return profile;
}

void add_planning(Profile& profile, const std::string& preset, const Survey& survey,
                  const std::vector<std::string>& of_method, const PaperRow& paper) {
  profile.add<RegionSettings>("regions");
  profile.add<PlannerSettings>("planner");
  if (preset == "paper")
    paper_planning(profile, paper);
  else
    fast_planning(profile, survey);
  for (const std::string& assignment : of_method) profile.parse(assignment, Origin::kPreset);
}

void measure_detail(Profile& profile, const Model& model, const Dataset& data, int threads) {
  const Setting* steps = profile.find("detail_steps");
  if (!data.image() || steps == nullptr || std::get<int>(steps->value) == 0) return;
  std::string reason = "there is a detail";
  if (steps->origin != Origin::kUser) {
    const double share = action_share(model, data, threads);
    reason = share < 0 ? "too few steps to tell what phi leaves out"
                       : str("phi of two successive images tells a share of ", figure_text(share), " of the action");
    const bool needed = share >= 0 && share < kPlaceIsState;
    profile.set("detail_steps", needed ? std::get<int>(steps->value) : 0, Origin::kMeasured, reason);
    if (!needed) return;
  }
  // from here on the state is like one of columns
  profile.set("model_batch", 128, Origin::kMeasured, reason);
  profile.set("model_lr", 1e-3, Origin::kMeasured, reason);
  profile.set("model_steps", 6000, Origin::kMeasured, reason);
  profile.set("prior_width", 256, Origin::kMeasured, reason);
  profile.set("prior_steps", 60'000, Origin::kMeasured, reason);
  profile.set("prior_horizon", RegionSettings{}.reach_steps, Origin::kMeasured, reason);
}

void measure_map(Profile& profile, const std::string& preset, const Model& model, const Dataset& data, int threads) {
  if (preset == "paper" || model.representation.empty()) return;
  const int usual = RegionSettings{}.reach_steps, steps = steps_to_next_region(model, data, threads);
  if (steps == usual) return;
  const std::string reason =
      str("in ", usual, " steps the data get so little way that ", kMostRegions, " regions would lie far beyond it");
  const auto scaled = [&](int value) {
    return static_cast<int>(std::lround(value * static_cast<double>(steps) / usual));
  };
  profile.set("reach_steps", steps, Origin::kMeasured, reason);
  if (const Setting* ahead = profile.find("prior_horizon"); ahead != nullptr && std::get<int>(ahead->value) < steps)
    profile.set("prior_horizon", steps, Origin::kMeasured, reason);
  profile.set("patience", scaled(PlannerSettings{}.patience), Origin::kMeasured, reason);
  profile.set("doubt", scaled(PlannerSettings{}.doubt), Origin::kMeasured, reason);
}

namespace {

// as far as the model can be believed, and wide where it can be believed anywhere
void measure_search(Profile& profile, const std::vector<double>& trust) {
  auto s = profile.get<PlannerSettings>();
  const auto known = [&](int steps) { return trust[std::min<size_t>(steps, trust.size()) - 1]; };
  if (known(s.horizon) >= kExact) {
    s.keep_plan = true;  // and a plan of a moment ago still holds
    if (s.horizon > 3) {
      s.sigma = 0.5;
      s.iterations = s.iterations_alone = 3;
    }
  }
  while (s.horizon > 2 && known(s.horizon) < kUseful) --s.horizon;
  s.search = known(s.horizon) >= kUseful;
  const Profile before = profile;
  profile.put(s, Origin::kMeasured,
              str("of what the model imagines of other actions, a share of ", figure_text(known(s.horizon)),
                  " comes true after ", s.horizon, " steps"));
  // a method's own words stand
  for (const Setting& of_method : before.settings())
    if (of_method.origin == Origin::kPreset) profile.set(of_method.key, of_method.value, Origin::kPreset);
}

}  // namespace

void measure_networks(Profile& profile, const std::string& preset, const Model& model,
                      const std::vector<double>& trust) {
  if (preset == "paper" || model.prior.empty()) return;
  if (!trust.empty()) measure_search(profile, trust);
  if (model.action_size() >= kManyJoints)
    profile.set(
        "unrest", std::round(100.0 * model.prior_spread) / 100.0, Origin::kMeasured,
        str("the noise of the data: a body of ", model.action_size(), " joints falls if it is pushed for long"));
  if (model.prior_spread <= kVague) return;
  const std::string reason = str("the prior's spread is ", model.prior_spread, " action limits");
  // noisy behaviour leaves a vague prior and a model that has seen every action: search wider, and more
  auto s = profile.get<PlannerSettings>();
  if (s.sigma < 0.2) {
    s.sigma = 0.2;
    s.samples = 64;
    s.iterations = 4;
    profile.put(s, Origin::kMeasured, reason);
  }
  // behaviour that only explored falls anywhere; where goals were walked to, what looks like a trap may be the only way
  // to a rarely visited room
  profile.set("drop_traps", true, Origin::kMeasured, reason);
}

std::string explain(const Profile& profile, const Survey& survey) {
  std::string text =
      str("measured: ", with_commas(survey.rows), " rows in ", with_commas(survey.episodes), " episodes, ",
          survey.image ? "images of " : "", survey.columns, survey.image ? " bytes" : " columns", ", ", survey.actions,
          " actions\n", "  pace ", survey.pace, ", directness ", survey.directness, ", actions at their limits ",
          survey.at_limit, ", leaps ", survey.leaps, ", still stretches ", survey.still, "\n");
  std::string group;
  for (const Setting& s : profile.settings()) {
    if (s.group != group) text += "\n" + s.group + "\n";
    group = s.group;
    char line[400];
    std::snprintf(line, sizeof line, "  %-22s %-10s %-9s %s\n", s.key.c_str(), s.text().c_str(), origin_name(s.origin),
                  s.reason.c_str());
    text += line;
  }
  return text;
}

}  // namespace alps
