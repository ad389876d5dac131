#include "alps/learn/method.h"

#include <gtest/gtest.h>

namespace alps {
namespace {

// of a body with joints, in a world that takes hundreds of steps to cross
Survey body() {
  return {.rows = 1'000'000,
          .episodes = 1000,
          .longest_episode = 1000,
          .columns = 29,
          .actions = 8,
          .range = {std::vector<float>(8, 1.0f), {}},
          .pace = 0.02,
          .directness = 0.05,
          .at_limit = 0.15};
}

std::string value(const Profile& profile, const char* key) { return profile.at(key).text(); }

TEST(Method, PaperPresetIsThePapersTable) {
  const Profile p = training_profile(method_named("alps"), "paper", body());
  const std::vector<std::pair<const char*, const char*>> table = {
      {"eigenvectors", "32"},
      {"encoder_layers", "4"},
      {"encoder_width", "256"},
      {"gamma", "0.6"},
      {"representation_lr", "1e-04"},
      {"representation_steps", "1000000"},
      {"dual_start", "-1"},
      {"dual_min", "-100"},
      {"dual_max", "100"},
      {"dual_step", "1"},
      {"barrier", "0.5"},
      {"representation_batch", "1024"},
      {"objective", "allo"},
      {"constraint_batches", "2"},
      {"rayleigh_ritz", "off"},
      {"psi_power", "0.5"},
      {"slow_gain", "0"},
      {"jump_factor", "0"},
      {"still_share", "0"},
      {"model_layers", "4"},
      {"model_width", "512"},
      {"model_horizon", "10"},
      {"model_lr", "3e-04"},
      {"model_steps", "1000000"},
      {"model_batch", "1024"},
      {"model_unit", "state"},
      {"prior_layers", "4"},
      {"prior_width", "512"},
      {"prior_horizon", "50"},
      {"prior_lr", "3e-04"},
      {"prior_steps", "1000000"},
      {"prior_batch", "1024"},
      {"prior_loss", "square"},
      {"lr_schedule", "constant"},
  };
  for (const auto& [key, expected] : table) EXPECT_EQ(value(p, key), expected) << key;
  Survey images = body();
  images.image = true;
  const Profile visual = training_profile(method_named("alps"), "paper", images);
  EXPECT_EQ(value(visual, "representation_steps"), "500000");
  EXPECT_EQ(value(visual, "model_batch"), "256");
}

TEST(Method, FastFollowsWhatWasMeasured) {
  const Profile joints = training_profile(method_named("alps"), "fast", body());
  EXPECT_EQ(value(joints, "objective"), "logdet");
  EXPECT_EQ(value(joints, "still_share"), "0");
  EXPECT_EQ(value(joints, "model_steps"), "6000");
  EXPECT_EQ(value(joints, "prior_loss"), "square");
  EXPECT_EQ(value(joints, "jump_factor"), "0");

  Survey noisy = body();
  noisy.rows = 5'000'000;
  noisy.at_limit = 0.42;
  noisy.leaps = 3;
  const Profile explored = training_profile(method_named("alps"), "fast", noisy);
  EXPECT_EQ(value(explored, "prior_loss"), "censored");
  EXPECT_EQ(value(explored, "model_steps"), "24000");
  EXPECT_EQ(value(explored, "jump_factor"), "10");

  // things are moved, and what leaps are things
  noisy.factors = "3-4/5";
  const Profile handled = training_profile(method_named("alps"), "fast", noisy);
  EXPECT_EQ(value(handled, "factors"), "3-4/5");
  EXPECT_EQ(value(handled, "jump_factor"), "0");
  EXPECT_EQ(value(handled, "model_steps"), "1500");
  EXPECT_EQ(value(handled, "prior_steps"), "1500");

  Survey hasty = body();
  hasty.pace = 0.3;
  const Profile leaping = training_profile(method_named("alps"), "fast", hasty);
  EXPECT_EQ(value(leaping, "gamma"), "0.2");
  EXPECT_EQ(value(leaping, "psi_power"), "0.5");
  EXPECT_EQ(value(leaping, "model_horizon"), "3");
}

TEST(Method, ABodyOfManyJointsGetsAWidePrior) {
  Survey s = body();
  const auto width = [&](size_t actions, const char* preset = "fast") {
    s.actions = actions;
    return value(training_profile(method_named("alps"), preset, s), "prior_width");
  };
  EXPECT_EQ(width(8), "256");
  EXPECT_EQ(width(15), "256");
  EXPECT_EQ(width(21), "512");
  EXPECT_EQ(value(training_profile(method_named("alps"), "fast", s), "lr_schedule"), "cosine");
  s.image = true;
  EXPECT_EQ(value(training_profile(method_named("alps"), "fast", s), "prior_steps"), "3000");
}

TEST(Method, StillnessIsLeftOutWhereItIsAnAccident) {
  Survey s = body();
  const auto share = [&] { return value(training_profile(method_named("alps"), "fast", s), "still_share"); };
  s.still = 40;
  s.left_again = 0.1;
  EXPECT_EQ(share(), "0.5");  // fallen bodies
  s.left_again = 0.5;
  EXPECT_EQ(share(), "0");  // pauses
  s.left_again = 0;
  s.still = s.episodes;
  EXPECT_EQ(share(), "0");  // every episode ends at rest
  s.still = 0;
  EXPECT_EQ(share(), "0");
}

TEST(Method, BaselinesFollowOgbenchsTableByWhatIsMeasured) {
  const auto setting = [](const char* method, const Survey& survey, const char* key) {
    return value(training_profile(method_named(method), "paper", survey), key);
  };
  const Survey ant = body();
  for (const char* method : {"gcivl", "gciql", "qrl", "crl", "hiql", "saw", "hilp", "gas"}) {
    EXPECT_EQ(setting(method, ant, "agent_steps"), "1000000");
    EXPECT_EQ(setting(method, ant, "agent_batch"), "1024");
    EXPECT_EQ(setting(method, ant, "agent_lr"), "3e-04");
    EXPECT_EQ(setting(method, ant, "value_width"), "512");
    EXPECT_EQ(setting(method, ant, "raw_states"), "true");
    EXPECT_EQ(setting(method, ant, "discount"), "0.99");
    EXPECT_EQ(setting(method, ant, "actor_random"), "0");
    EXPECT_EQ(setting(method, ant, "lr_schedule"), "constant");
  }
  EXPECT_EQ(setting("gcivl", ant, "expectile"), "0.9");
  EXPECT_EQ(setting("gcivl", ant, "awr"), "10");
  EXPECT_EQ(setting("hiql", ant, "expectile"), "0.7");
  EXPECT_EQ(setting("hiql", ant, "subgoal_steps"), "25");
  EXPECT_EQ(setting("gciql", ant, "bc_weight"), "0.3");
  EXPECT_EQ(setting("qrl", ant, "bc_weight"), "0.003");
  EXPECT_EQ(setting("crl", ant, "bc_weight"), "0.1");
  EXPECT_EQ(setting("qrl", ant, "value_random"), "1");
  EXPECT_EQ(setting("crl", ant, "value_random"), "0");

  EXPECT_EQ(setting("saw", ant, "way_awr"), "3");
  EXPECT_EQ(setting("saw", ant, "expectile"), "0.7");
  for (const auto& [method, of_distance, of_value] : {std::tuple{"hilp", "0.95", "0.9"}, {"gas", "0.999", "0.7"}}) {
    EXPECT_EQ(setting(method, ant, "distance_expectile"), of_distance);
    EXPECT_EQ(setting(method, ant, "expectile"), of_value);
    EXPECT_EQ(setting(method, ant, "latent"), "32");
    EXPECT_EQ(setting(method, ant, "value_current"), "0");
    EXPECT_EQ(setting(method, ant, "value_random"), "0.375");
  }
  EXPECT_EQ(setting("gas", ant, "bc_weight"), "1");
  EXPECT_EQ(setting("gas", ant, "way_distance"), "8");

  Survey point = ant;
  point.actions = 2;
  point.directness = 1;
  EXPECT_EQ(setting("gciql", point, "bc_weight"), "0.003");
  EXPECT_EQ(setting("qrl", point, "bc_weight"), "3e-04");
  EXPECT_EQ(setting("crl", point, "bc_weight"), "0.03");

  Survey humanoid = ant;
  humanoid.actions = 21;
  humanoid.pace = 0.005;
  humanoid.longest_episode = 2000;
  EXPECT_EQ(setting("hiql", humanoid, "discount"), "0.995");
  EXPECT_EQ(setting("hiql", humanoid, "subgoal_steps"), "100");
  EXPECT_EQ(setting("gciql", humanoid, "bc_weight"), "0.1");
  EXPECT_EQ(setting("saw", humanoid, "subgoal_steps"), "100");
  EXPECT_EQ(setting("gas", humanoid, "bc_weight"), "0.1");
  EXPECT_EQ(setting("gas", humanoid, "way_distance"), "32");
  EXPECT_EQ(setting("gas", humanoid, "distance_expectile"), "0.95");

  Survey stitch = ant;
  stitch.pace = 0.013;
  stitch.longest_episode = 200;
  EXPECT_EQ(setting("hiql", stitch, "actor_random"), "0.5");
  Survey explore = ant;
  explore.at_limit = 0.42;
  explore.pace = 0.005;
  explore.longest_episode = 500;
  EXPECT_EQ(setting("hiql", explore, "actor_random"), "1");
  EXPECT_EQ(setting("hiql", explore, "high_awr"), "10");
  EXPECT_EQ(setting("hiql", explore, "discount"), "0.99");
  EXPECT_EQ(setting("gas", explore, "bc_weight"), "0.01");
  EXPECT_EQ(setting("gas", explore, "actor_random"), "0");
  EXPECT_EQ(value(training_profile(method_named("hiql"), "fast", ant), "lr_schedule"), "cosine");
}

TEST(Method, EverySettingIsExplained) {
  for (const Method& method : methods()) {
    EXPECT_FALSE(method.summary.empty());
    const Profile profile = training_profile(method, "fast", body());
    for (const Setting& s : profile.settings()) EXPECT_GT(s.help.size(), 10u) << method.name << " " << s.key;
  }
}

TEST(Method, AnUnknownNameGetsTheNearest) {
  try {
    method_named("gcbd");
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_STREQ(e.what(),
                 "no method 'gcbd', did you mean 'gcbc'?; there are alps, pclast, gcbc, gcivl, gciql, qrl, crl, hiql, "
                 "saw, hilp, gas");
  }
  EXPECT_THROW(training_profile(method_named("alps"), "quick", body()), UsageError);
}

}  // namespace
}  // namespace alps
