#include "alps/learn/train_config.h"

#include <gtest/gtest.h>

#include "alps/base/error.h"

namespace alps {
namespace {

TEST(TrainConfig, PaperPresetIsThePapersTable) {
  const TrainConfig c = preset_config("paper", "antmaze-large-stitch-v0", false);
  EXPECT_EQ(c.gamma, 0.6);
  EXPECT_EQ(c.eigenvectors, 32);
  EXPECT_EQ(c.representation_lr, 1e-4);
  EXPECT_EQ(c.dual_start, -1.0);
  EXPECT_EQ(c.dual_min, -100.0);
  EXPECT_EQ(c.dual_max, 100.0);
  EXPECT_EQ(c.dual_step, 1.0);
  EXPECT_EQ(c.barrier, 0.5);
  EXPECT_EQ(c.representation_steps, 1'000'000);
  EXPECT_EQ(c.model_horizon, 10);
  EXPECT_EQ(c.model_lr, 3e-4);
  EXPECT_EQ(c.model_steps, 1'000'000);
  EXPECT_EQ(c.prior_horizon, 50);
  EXPECT_EQ(c.prior_lr, 3e-4);
  EXPECT_EQ(c.prior_batch, 1024);
  EXPECT_EQ(c.encoder_width, 256);
  EXPECT_EQ(c.model_width, 512);
  EXPECT_EQ(preset_config("paper", "maze2d-hallway-v0", true).model_horizon, 3);
  EXPECT_EQ(preset_config("paper", "maze2d-hallway-v0", true).prior_steps, 500'000);
  EXPECT_EQ(preset_config("paper", "visual-antmaze-large-navigate-v0", true).model_batch, 256);
  EXPECT_EQ(preset_config("fast", "cube-double-play-v0", false).gamma, 0.2);
  EXPECT_EQ(preset_config("paper", "antmaze-large-explore-v0", false).prior_loss, "square");
  EXPECT_EQ(preset_config("fast", "antmaze-large-explore-v0", false).prior_loss, "censored");
  EXPECT_THROW(preset_config("quick", "", false), UsageError);
}

TEST(TrainConfig, SetAndRoundTrip) {
  TrainConfig config = preset_config("fast", "", false);
  set_field(config, "gamma=0.25");
  set_field(config, "model_steps=7");
  set_field(config, "rayleigh_ritz=off");
  const TrainConfig again = config_from_json(config_json(config), "x");
  EXPECT_EQ(again.gamma, 0.25);
  EXPECT_EQ(again.model_steps, 7);
  EXPECT_EQ(again.rayleigh_ritz, "off");
  EXPECT_EQ(config_json(again), config_json(config));
  for (const char* bad : {"gamma", "gamma=1.5", "gamma=nan", "model_steps=0", "model_steps=1.5",
                          "model_steps=", "rayleigh_ritz=yes", "nothing=1"}) {
    TrainConfig copy = config;
    EXPECT_THROW(set_field(copy, bad), UsageError) << bad;
  }
  EXPECT_EQ(config_json(config_from_json("{}", "x")), config_json(TrainConfig{}));  // an older alps knew less
  EXPECT_THROW(config_from_json(R"({"gamma": "half"})", "x"), Error);
  EXPECT_THROW(config_from_json("[", "x"), Error);
}

}  // namespace
}  // namespace alps
