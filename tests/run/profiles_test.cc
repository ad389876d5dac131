#include "alps/run/profiles.h"

#include <gtest/gtest.h>

#include "alps/plan/planner_settings.h"
#include "alps/run/regions.h"

namespace alps {
namespace {

Survey body() {
  return {.rows = 1'000'000, .episodes = 1000, .columns = 29, .actions = 8, .pace = 0.02, .directness = 0.05};
}

Profile planning(const std::string& preset, const Survey& survey, const PaperRow& paper = {},
                 const std::vector<std::string>& of_method = {}) {
  Profile profile;
  add_planning(profile, preset, survey, of_method, paper);
  return profile;
}

PaperRow row(const char* name) { return paper_row(find_recipe(name)); }

TEST(Profiles, PaperIsThePapersTableInEveryRoom) {
  const Profile p = planning("paper", body(), row("antmaze-giant-stitch-v0"));
  const std::vector<std::pair<const char*, const char*>> table = {{"clusters", "128"},
                                                                  {"region_sizes", "plain"},
                                                                  {"drop_traps", "false"},
                                                                  {"top_p", "0.95"},
                                                                  {"relax_top_p", "false"},
                                                                  {"avoid_traps", "false"},
                                                                  {"avoid_doors", "false"},
                                                                  {"one_way", "0"},
                                                                  {"clip_goal", "false"},
                                                                  {"noise_beta", "0.9"},
                                                                  {"sigma", "0.5"},
                                                                  {"penalty", "0.01"},
                                                                  {"momentum", "0.3"},
                                                                  {"horizon", "20"},
                                                                  {"iterations", "5"},
                                                                  {"samples", "500"},
                                                                  {"elite_ratio", "0.15"},
                                                                  {"sigma_alone", "1"},
                                                                  {"iterations_alone", "15"},
                                                                  {"samples_alone", "5000"},
                                                                  {"by_factors", "false"},
                                                                  {"keep_plan", "false"},
                                                                  {"warm_start", "false"},
                                                                  {"keep_elites", "false"},
                                                                  {"fall_back", "0"},
                                                                  {"patience", "0"},
                                                                  {"far", "0"},
                                                                  {"doubt", "0"},
                                                                  {"nudge", "0"},
                                                                  {"unrest", "0"},
                                                                  {"budget_ms", "0"}};
  for (const auto& [key, expected] : table) EXPECT_EQ(p.at(key).text(), expected) << key;
  // the whole of it: no setting of the planner is left out of the table above, but for those that change no decision
  size_t others = 0;
  for (const Setting& s : p.settings())
    others += std::ranges::none_of(table, [&](const auto& entry) { return s.key == entry.first; });
  EXPECT_EQ(others, 6u);  // reach_steps, search, sigma_floor, threads, precision, shown

  EXPECT_EQ(row("pointmaze-medium-navigate-v0").clusters, 64);
  EXPECT_EQ(row("antmaze-teleport-explore-v0").clusters, 96);
  EXPECT_EQ(row("pointmaze-large-stitch-v0").clusters, 96);
  EXPECT_EQ(row("cube-double-play-v0").clusters, 8);
  EXPECT_EQ(row("cube-double-play-v0").gamma, 0.2);
  EXPECT_EQ(row("visual-maze2d-spiral-random-v0").horizon, 2);
  EXPECT_EQ(row("visual-maze2d-spiral-random-v0").model_horizon, 3);
  EXPECT_EQ(row("visual-maze2d-spiral-random-v0").gamma, 0.2);
  EXPECT_EQ(row("no-such-data").clusters, 64);
}

TEST(Profiles, FastFollowsWhatWasMeasured) {
  const Profile joints = planning("fast", body());
  EXPECT_EQ(joints.at("sigma").text(), "0.15");
  EXPECT_EQ(joints.at("keep_plan").text(), "false");
  EXPECT_EQ(joints.at("clusters").text(), "0");  // measured when the map is cut

  Survey hasty = body();
  hasty.pace = 0.3;
  const Profile few_steps = planning("fast", hasty);
  EXPECT_EQ(few_steps.at("horizon").text(), "2");
  EXPECT_EQ(few_steps.at("noise_beta").text(), "0");
  EXPECT_EQ(few_steps.at("samples").text(), "128");
}

Model trained(float spread) {
  Model model;
  model.prior = Mlp({Linear(1, 1, {1}, {0})});
  model.prior_spread = spread;
  return model;
}

TEST(Profiles, TheSearchGoesAsFarAsTheModelIsBelieved) {
  const auto after = [](const std::vector<double>& trust, const char* preset = "fast") {
    Profile p = planning(preset, body());
    measure_networks(p, preset, trained(0.3f), trust);
    return p;
  };
  std::vector<double> falling = {1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.41, 0.3, 0.2, 0.1};
  const Profile exact = after(std::vector<double>(10, 0.99)), usual = after(std::vector<double>(10, 0.7));
  EXPECT_EQ(exact.at("sigma").text(), "0.5");
  EXPECT_EQ(exact.at("keep_plan").text(), "true");
  EXPECT_EQ(exact.at("keep_plan").origin, Origin::kMeasured);
  EXPECT_NE(exact.at("keep_plan").reason.find("0.99"), std::string::npos) << exact.at("keep_plan").reason;
  EXPECT_EQ(exact.at("horizon").text(), "10");
  EXPECT_EQ(usual.at("sigma").text(), "0.15");
  EXPECT_EQ(usual.at("keep_plan").text(), "false");
  EXPECT_EQ(after(falling).at("horizon").text(), "7");
  EXPECT_EQ(after(falling).at("search").text(), "true");
  EXPECT_EQ(after({0.3, 0.3}).at("search").text(), "false");
  EXPECT_EQ(after({0.3, 0.3}).at("search").origin, Origin::kMeasured);
  EXPECT_EQ(after({0.3, 0.3}, "paper").at("search").text(), "true");
  EXPECT_EQ(after({}).at("search").text(), "true");  // nothing is known
  // a method's own width stands, and the user's word
  Profile own = planning("fast", body(), {}, {"sigma=1"});
  own.parse("search=true");
  measure_networks(own, "fast", trained(0.3f), {0.1});
  EXPECT_EQ(own.at("search").text(), "true");
  Profile wide = planning("fast", body(), {}, {"sigma=1"});
  measure_networks(wide, "fast", trained(0.3f), std::vector<double>(10, 1.0));
  EXPECT_EQ(wide.at("sigma").text(), "1");
  EXPECT_EQ(wide.at("iterations").text(), "3");
}

TEST(Profiles, ABodyOfManyJointsGetsTheNoiseOfItsData) {
  Model model = trained(0.213f);
  const auto unrest = [&](size_t joints, const char* preset) {
    model.actions.limit.assign(joints, 1.0f);
    Profile p = planning(preset, body());
    measure_networks(p, preset, model, {});
    return p.at("unrest").text();
  };
  EXPECT_EQ(unrest(8, "fast"), "0");
  EXPECT_EQ(unrest(21, "fast"), "0.21");
  EXPECT_EQ(unrest(21, "paper"), "0");
}

TEST(Profiles, AMethodHasItsOwnWordAndTheUserTheLast) {
  Profile p = planning("fast", body(), {}, {"elite_ratio=0.2"});
  EXPECT_EQ(p.at("elite_ratio").text(), "0.2");
  EXPECT_EQ(p.at("elite_ratio").origin, Origin::kPreset);

  Model vague = trained(0.51f);
  p.parse("sigma=0.11");
  measure_networks(p, "fast", vague, {});
  EXPECT_EQ(p.at("sigma").text(), "0.11");
  EXPECT_EQ(p.at("samples").text(), "64");
  EXPECT_EQ(p.at("drop_traps").text(), "true");
  EXPECT_NE(p.at("drop_traps").reason.find("0.51"), std::string::npos);

  Profile sure = planning("fast", body());
  vague.prior_spread = 0.5f;
  measure_networks(sure, "fast", vague, {});
  EXPECT_EQ(sure.at("drop_traps").text(), "false");
  Profile paper = planning("paper", body());
  vague.prior_spread = 2;
  measure_networks(paper, "paper", vague, {});
  EXPECT_EQ(paper.at("samples").text(), "500");
}

TEST(Profiles, ExplainNamesEverySettingItsOriginAndReason) {
  Survey hasty = body();
  hasty.pace = 0.3;
  const std::string text = explain(planning("fast", hasty), hasty);
  for (const char* words : {"1,000,000 rows", "pace 0.3", "reach_steps", " measured  a step covers a share of 0.3"})
    EXPECT_NE(text.find(words), std::string::npos) << words;
}

}  // namespace
}  // namespace alps
