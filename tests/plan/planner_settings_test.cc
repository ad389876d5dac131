// The table of the planner's settings: the paper's values, a run's config.json, assignments and what is refused.
#include "alps/plan/planner_settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "../base/temp_folder.h"

namespace alps {
namespace {

TEST(PlannerSettings, EveryFieldHasALineOfHelpAndADefaultInItsRange) {
  const Profile profile = planner_profile();
  EXPECT_EQ(profile.settings().size(), 33u);
  for (const Setting& s : profile.settings()) {
    EXPECT_GE(s.help.size(), 25u) << s.key;
    EXPECT_NO_THROW(planner_profile().parse(s.key + "=" + s.text())) << s.key;
  }
  EXPECT_NO_THROW(check_settings({}));
  EXPECT_NO_THROW(check_settings(paper_planner_settings()));
}

TEST(PlannerSettings, ThePapersTable) {
  const PlannerSettings s = paper_planner_settings();
  // tab:hyperparameters
  EXPECT_EQ(s.samples, 500);
  EXPECT_EQ(s.horizon, 20);
  EXPECT_EQ(s.iterations, 5);
  EXPECT_EQ(s.elite_ratio, 0.15);
  EXPECT_EQ(s.sigma, 0.5);
  EXPECT_EQ(s.noise_beta, 0.9);
  EXPECT_EQ(s.momentum, 0.3);
  EXPECT_EQ(s.penalty, 0.01);
  EXPECT_EQ(s.top_p, 0.95);
  // appendix "Ablations"
  EXPECT_EQ(s.samples_alone, 5000);
  EXPECT_EQ(s.iterations_alone, 15);
  EXPECT_EQ(s.sigma_alone, 1.0);
  // nothing that the paper does not have
  EXPECT_FALSE(s.keep_elites || s.keep_plan || s.warm_start || s.relax_top_p || s.avoid_traps || s.avoid_doors ||
               s.clip_goal);
  EXPECT_EQ(s.fall_back + s.patience + s.shown, 0);
  EXPECT_EQ(s.far + s.doubt + s.nudge + s.unrest + s.one_way + s.budget_ms, 0);
}

TEST(PlannerSettings, TheSearchOfAVariant) {
  const PlannerSettings s = paper_planner_settings();
  const CemParams with = search_params(s, variant_named("alps")), alone = search_params(s, variant_named("cem"));
  EXPECT_EQ(with.samples, 500);
  EXPECT_EQ(with.iterations, 5);
  EXPECT_EQ(with.sigma, 0.5);
  EXPECT_EQ(alone.samples, 5000);
  EXPECT_EQ(alone.iterations, 15);
  EXPECT_EQ(alone.sigma, 1.0);
  EXPECT_EQ(alone.horizon, 20);
}

TEST(PlannerSettings, UnusedOnesAreKeysOfTheTable) {
  const Profile profile = planner_profile();
  for (const std::string& name : variant_names()) {
    const auto unused = unused_settings(variant_named(name));
    for (const std::string& key : unused) EXPECT_TRUE(profile.has(key)) << key;
    EXPECT_EQ(std::set(unused.begin(), unused.end()).size(), unused.size()) << name;
  }
  const auto has = [](const char* variant, const char* key) {
    return std::ranges::count(unused_settings(variant_named(variant)), key) > 0;
  };
  EXPECT_TRUE(has("alps", "far") && has("alps", "samples_alone") && has("cem", "samples") && has("cem", "patience"));
  EXPECT_TRUE(has("prior", "samples") && has("prior", "samples_alone") && has("prior", "horizon"));
  EXPECT_FALSE(has("alps", "samples") || has("cem", "samples_alone") || has("prior", "far") || has("prior", "nudge"));
}

TEST(PlannerSettings, AssignmentsAndWhatIsRefused) {
  const PlannerSettings s =
      with_assignments({}, {"samples=7", "sigma=0.25", "keep_plan=true", "precision=fp32", "samples=9"});
  EXPECT_EQ(s.samples, 9);
  EXPECT_EQ(s.sigma, 0.25);
  EXPECT_TRUE(s.keep_plan);
  EXPECT_EQ(s.precision, "fp32");
  EXPECT_EQ(s.horizon, PlannerSettings().horizon);
  const auto refused = [](const std::string& assignment) {
    return error_of([&] { with_assignments({}, {assignment}); });
  };
  EXPECT_NE(refused("sample=3").find("did you mean 'samples'"), std::string::npos);
  for (const char* wrong :
       {"samples=0", "samples=-1", "samples=1.5", "budget_ms=-1", "top_p=0", "top_p=1.1", "elite_ratio=2", "threads=0",
        "precision=fp99", "keep_plan=maybe", "horizon=0", "sigma=nan"})
    EXPECT_FALSE(refused(wrong).empty()) << wrong;
  EXPECT_NE(refused("samples=0").find("samples"), std::string::npos);
  EXPECT_THROW(with_assignments({}, {"samples"}), UsageError);

  PlannerSettings wrong;
  wrong.samples = 0;
  EXPECT_THROW(check_settings(wrong), UsageError);
  wrong = {};
  wrong.budget_ms = -1;
  EXPECT_THROW(check_settings(wrong), UsageError);
}

TEST(PlannerSettings, AreReadFromTheRun) {
  const TempFolder folder;
  const auto write = [&](const char* text) { folder.write("config.json", text); };
  const auto why = [&] { return error_of([&] { load_planner_profile(folder / ""); }); };
  EXPECT_NE(why().find("train a run first"), std::string::npos);

  write(R"({"format": 2, "settings": {"samples": 77, "gamma": 0.5, "sigma": 1},
            "origins": {"samples": {"origin": "measured", "reason": "because"}}})");
  const Profile profile = load_planner_profile(folder / "");
  const auto s = profile.get<PlannerSettings>();
  EXPECT_EQ(s.samples, 77);
  EXPECT_EQ(s.sigma, 1.0);
  EXPECT_EQ(s.horizon, PlannerSettings().horizon);
  EXPECT_EQ(profile.at("samples").origin, Origin::kMeasured);
  EXPECT_TRUE(profile.has("gamma"));

  // a run of an older alps, and damaged files
  write(R"({"format": 1, "train": {"gamma": 0.5}})");
  EXPECT_NE(why().find("older alps"), std::string::npos);
  EXPECT_NE(why().find("alps train"), std::string::npos);
  write("[]");
  EXPECT_NE(why().find("config.json"), std::string::npos);
  write(R"({"settings": {"samples": 0}})");
  EXPECT_NE(why().find("samples"), std::string::npos);
  write(R"({"settings": 3})");
  EXPECT_NE(why().find("config.json"), std::string::npos);
}

TEST(PlannerSettings, Precision) {
  EXPECT_EQ(precision_named("fp32"), Precision::kFp32);
  EXPECT_EQ(precision_named("auto"), has_bf16() ? Precision::kBf16 : Precision::kFp32);
  if (has_bf16())
    EXPECT_EQ(precision_named("bf16"), Precision::kBf16);
  else
    EXPECT_THROW(precision_named("bf16"), UsageError);
  EXPECT_THROW(precision_named("fp99"), UsageError);
}

TEST(Variants, AllSixAndAHint) {
  std::set<std::tuple<bool, bool, bool>> seen;
  for (const std::string& name : variant_names()) {
    const Variant v = variant_named(name);
    EXPECT_EQ(v.route, name == "alps" || name.starts_with("dijkstra")) << name;
    EXPECT_EQ(v.search, name == "alps" || name.find("cem") != std::string::npos) << name;
    EXPECT_EQ(v.prior, name == "alps" || name.find("prior") != std::string::npos) << name;
    seen.insert({v.route, v.prior, v.search});
  }
  EXPECT_EQ(seen.size(), 6u);
  EXPECT_NE(error_of([] { variant_named("djikstra+cem"); }).find("did you mean 'dijkstra+cem'"), std::string::npos);
}

}  // namespace
}  // namespace alps
