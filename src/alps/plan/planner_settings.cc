#include "alps/plan/planner_settings.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "alps/base/file.h"
#include "alps/base/names.h"

namespace alps {

const std::vector<std::string>& variant_names() {
  static const std::vector<std::string> names = {"cem", "prior", "cem+prior", "dijkstra+cem", "dijkstra+prior", "alps"};
  return names;
}

Variant variant_named(std::string_view name) {
  if (name == "alps") return {true, true, true};
  if (name == "prior") return {false, true, false};
  if (name == "cem") return {false, false, true};
  if (name == "cem+prior") return {false, true, true};
  if (name == "dijkstra+cem") return {true, false, true};
  if (name == "dijkstra+prior") return {true, true, false};
  throw UsageError("no variant '", name, "'", nearest_hint(name, variant_names()),
                   "; there are cem, prior, cem+prior, dijkstra+cem, dijkstra+prior and alps");
}

PlannerSettings paper_planner_settings() {
  PlannerSettings s;
  s.by_factors = false;
  s.samples = 500;
  s.horizon = 20;
  s.iterations = 5;
  s.elite_ratio = 0.15;
  s.sigma = 0.5;
  s.noise_beta = 0.9;
  s.momentum = 0.3;
  s.penalty = 0.01;
  s.keep_elites = false;
  s.samples_alone = 5000;
  s.iterations_alone = 15;
  s.sigma_alone = 1.0;
  s.keep_plan = false;
  s.warm_start = false;
  s.fall_back = 0;
  s.patience = 0;
  s.far = 0;
  s.doubt = 0;
  s.nudge = 0;
  s.top_p = 0.95;
  s.relax_top_p = false;
  s.avoid_traps = false;
  s.avoid_doors = false;
  s.one_way = 0;
  s.clip_goal = false;
  return s;
}

Profile planner_profile(const PlannerSettings& settings) {
  Profile profile;
  profile.add<PlannerSettings>("planner", settings);
  return profile;
}

Profile load_planner_profile(const std::filesystem::path& run) {
  const std::filesystem::path path = run / "config.json";
  if (!std::filesystem::exists(path))
    throw Error(path.string(), ": no such file; train a run first: alps train DATA --out ", run.string());
  const auto root = nlohmann::json::parse(read_text(path), nullptr, false);
  if (!root.is_object()) throw Error(path.string(), ": is not a JSON object; the file is damaged");
  if (!root.contains("settings"))
    throw Error(path.string(), ": the run was trained by an older alps and has no settings of the planner; train it ",
                "anew with: alps train DATA --out ", run.string());
  Profile profile = planner_profile();
  const std::string origins = root.contains("origins") ? root["origins"].dump() : "{}";
  profile.read_json(root["settings"].dump(), origins, path.string());
  return profile;
}

PlannerSettings with_assignments(const PlannerSettings& settings, const std::vector<std::string>& set) {
  Profile profile = planner_profile(settings);
  for (const std::string& assignment : set) profile.parse(assignment);
  return profile.get<PlannerSettings>();
}

void check_settings(const PlannerSettings& settings) { planner_profile().put(settings, Origin::kUser); }

CemParams search_params(const PlannerSettings& s, const Variant& variant) {
  return {.samples = variant.prior ? s.samples : s.samples_alone,
          .horizon = s.horizon,
          .iterations = variant.prior ? s.iterations : s.iterations_alone,
          .elite_ratio = s.elite_ratio,
          .sigma = variant.prior ? s.sigma : s.sigma_alone,
          .sigma_floor = s.sigma_floor,
          .noise_beta = s.noise_beta,
          .momentum = s.momentum,
          .keep_elites = s.keep_elites,
          .shown = s.shown};
}

std::vector<std::string> unused_settings(const Variant& variant) {
  std::vector<std::string> keys;
  const auto unused = [&](std::initializer_list<const char*> more) {
    keys.insert(keys.end(), more.begin(), more.end());
  };
  if (!variant.search)
    unused({"horizon", "elite_ratio", "sigma_floor", "noise_beta", "momentum", "keep_elites", "penalty", "doubt",
            "budget_ms", "threads", "precision"});
  if (!variant.search || !variant.prior) unused({"search", "samples", "iterations", "sigma", "keep_plan"});
  if (!variant.search || variant.prior) unused({"samples_alone", "iterations_alone", "sigma_alone", "warm_start"});
  if (!variant.route)
    unused({"fall_back", "patience", "top_p", "relax_top_p", "avoid_traps", "avoid_doors", "one_way", "unrest"});
  if (!variant.route && variant.search) unused({"doubt"});
  if (variant.route || !variant.prior) unused({"far"});
  return keys;
}

Precision precision_named(const std::string& name) {
  if (name == "fp32") return Precision::kFp32;
  if (name == "auto") return has_bf16() ? Precision::kBf16 : Precision::kFp32;
  if (name != "bf16") throw UsageError("precision: there is no '", name, "'; there are auto, fp32, bf16");
  if (!has_bf16())
    throw UsageError(
        "precision=bf16: this processor has no instructions for bf16 (AVX-512 BF16), or ALPS_PRECISION=fp32 is set; "
        "use precision=auto");
  return Precision::kBf16;
}

}  // namespace alps
