#include "alps/run/profiles.h"

#include <algorithm>
#include <cmath>

#include "alps/base/progress.h"
#include "alps/plan/planner_settings.h"
#include "alps/run/regions.h"

namespace alps {
namespace {

// spread of a prior, in action limits: 0.30 to 0.34 where an expert's noise was moderate, 0.71 where it was as large as
// the actions
constexpr double kVague = 0.5;

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
  if (survey.directness >= 0.5) {
    // actions that are moves: the model can be trusted anywhere, and a plan of a moment ago still holds
    s.keep_plan = true;
    if (s.horizon > 3) {
      s.sigma = 0.5;
      s.iterations = s.iterations_alone = 3;
    }
    profile.put(s, Origin::kMeasured,
                str("actions explain a share of ", survey.directness, " of the least explained column's change"));
  }
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

void measure_networks(Profile& profile, const std::string& preset, const Model& model) {
  if (preset == "paper" || model.prior.empty() || model.prior_spread <= kVague) return;
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
