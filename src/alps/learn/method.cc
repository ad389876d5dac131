#include "alps/learn/method.h"

#include "alps/base/names.h"
#include "alps/data/factors.h"
#include "alps/learn/crl.h"
#include "alps/learn/detail.h"
#include "alps/learn/distance.h"
#include "alps/learn/forward_model.h"
#include "alps/learn/gas.h"
#include "alps/learn/gcbc.h"
#include "alps/learn/gciql.h"
#include "alps/learn/gcivl.h"
#include "alps/learn/hilp.h"
#include "alps/learn/hiql.h"
#include "alps/learn/mover.h"
#include "alps/learn/outcome.h"
#include "alps/learn/pclast.h"
#include "alps/learn/prior.h"
#include "alps/learn/qrl.h"
#include "alps/learn/representation.h"
#include "alps/learn/saw.h"

namespace alps {

const std::vector<Method>& methods() {
  static const std::vector<Method> table = {
      {"alps",
       "Laplacian representation, forward model and behaviour prior; moves of things where the data have some; plans "
       "(the paper)",
       {representation_part(), detail_part(), forward_model_part(), prior_part(), mover_part(), outcome_part()},
       "planner",
       {}},
      // independent noise of unit deviation around nothing, more elites, no smoothing
      {"pclast",
       "PcLast's contrastive space in place of the Laplacian's, for comparison; plans",
       {pclast_part(), forward_model_part(), prior_part()},
       "planner",
       {"elite_ratio=0.2", "sigma=1", "sigma_alone=1", "noise_beta=0", "momentum=0"}},
      {"gcbc", "goal-conditioned behaviour cloning: an actor alone, no planning", {gcbc_part()}, "actor", {}},
      {"gcivl", "goal-conditioned implicit value learning, an actor by advantages", {gcivl_part()}, "actor", {}},
      {"gciql", "goal-conditioned implicit Q-learning, an actor that maximizes Q", {gciql_part()}, "actor", {}},
      {"qrl", "quasimetric learning: a distance that obeys the triangle inequality", {qrl_part()}, "actor", {}},
      {"crl", "contrastive learning of which goals follow which actions", {crl_part()}, "actor", {}},
      {"hiql", "hierarchical: subgoals and actions from one value of goals", {hiql_part()}, "two_levels", {}},
      {"saw", "an actor that learns from one of near goals, weighted by advantages", {saw_part()}, "actor", {}},
      {"hilp",
       "a distance in which straight lines are ways, an actor that is told directions",
       {distance_part(0.95), hilp_part()},
       "directions",
       {}},
      {"gas",
       "the same with waypoints: shortest ways over a graph of states near in time",
       {distance_part(0.999), gas_part()},
       "waypoints",
       {}},
  };
  return table;
}

const Method& method_named(std::string_view name) {
  std::vector<std::string> names;
  std::string list;
  for (const Method& method : methods()) {
    if (method.name == name) return method;
    names.push_back(method.name);
    list += (list.empty() ? "" : ", ") + method.name;
  }
  throw UsageError("no method '", name, "'", nearest_hint(name, names), "; there are ", list);
}

namespace {

// Ants on their back leave 0 to 12 % of their still stretches again, bodies at rest half or more. Where episodes end at
// their goal, most end in stillness.
constexpr double kRarelyLeft = 0.25, kFewEpisodes = 0.25;

// leaps are cut where the data show them, and accidents: stillness that few episodes have and that is not left again
void data_preset(Profile& profile, std::string_view preset, const Survey& survey) {
  if (preset == "paper" || survey.image) return;
  // things leap: a switch flips, an angle goes round, what falls is elsewhere at once
  if (survey.leaps > 0 && survey.factors == "none")
    profile.set("jump_factor", 10.0, Origin::kMeasured, str("the state leaps ", survey.leaps, " times"));
  if (survey.still > 0 && survey.left_again < kRarelyLeft &&
      static_cast<double>(survey.still) < kFewEpisodes * static_cast<double>(survey.episodes))
    profile.set("still_share", kStill, Origin::kMeasured,
                str("a share of ", survey.left_again, " of ", survey.still, " still stretches is left again"));
}

// Methods with a mover move the things that the data show. What the mover does not use, the forward model and the prior
// of the whole state, is for comparison then, and trained for a short while.
void factors_preset(Profile& profile, std::string_view preset, const Survey& survey) {
  constexpr int kShort = 1500;
  if (preset == "paper" || survey.factors == "none" || !profile.has("mover_steps")) return;
  profile.set("factors", survey.factors, Origin::kMeasured, "columns that rest while others move");
  for (const char* steps : {"model_steps", "prior_steps"})
    profile.set(steps, kShort, Origin::kMeasured,
                "the mover acts; this is for variants that plan with the whole state");
}

void loop_preset(Profile& profile, std::string_view preset) {
  if (preset != "paper") return;
  LoopSettings s;
  s.lr_schedule = "constant";
  s.log_every = s.validate_every = 5000;
  s.checkpoint_seconds = 600;
  profile.put(s, Origin::kPreset);
}

}  // namespace

Profile training_profile(const Method& method, std::string_view preset, const Survey& survey) {
  if (preset != "fast" && preset != "paper") throw UsageError("no preset '", preset, "'; there are fast and paper");
  Profile profile;
  profile.add<CutSettings>("data");
  profile.add<FactorSettings>("data");
  for (const PartKind& part : method.parts) part.declare(profile);
  profile.add<LoopSettings>("training loop");
  data_preset(profile, preset, survey);
  for (const PartKind& part : method.parts) part.preset(profile, preset, survey);
  factors_preset(profile, preset, survey);
  loop_preset(profile, preset);
  return profile;
}

bool shapes_training(const Setting& setting) {
  return setting.key != "log_every" && setting.key != "validate_every" && setting.key != "checkpoint_seconds";
}

}  // namespace alps
