// Play data of arms; tests/align sets scripts and data beside OGBench's.
#include "alps/collect/play.h"

#include <gtest/gtest.h>

#include "alps/base/error.h"
#include "alps/collect/arm_script.h"
#include "alps/world/catalog.h"

namespace alps {
namespace {

TEST(Play, NeedsAnArm) {
  const auto maze = make_env("pointmaze-medium-v0");
  EXPECT_THROW(check_play(*maze), Error);
  const auto arm = make_env("cube-single-v0");
  EXPECT_NO_THROW(check_play(*arm));
}

TEST(Play, ScriptsDoWhatTheyAreFor) {
  // without noise nearly every cube gets to its place
  const auto env = make_env("cube-single-v0", {.terminate_at_goal = false, .max_episode_steps = 3000});
  Rows rows(*env, 1500);
  const size_t quiet = run_play(*env, 0.0, Rng(1), rows.view(0, 1500));
  EXPECT_GE(quiet, 14u);  // a script takes 88 steps, more or less
  EXPECT_LE(quiet, 18u);
}

TEST(Play, SceneMovesEverything) {
  const auto env = make_env("scene-v0", {.terminate_at_goal = false, .max_episode_steps = 3000});
  Rows rows(*env, 2000);
  EXPECT_GT(run_play(*env, 0.1, Rng(2), rows.view(0, 2000)), 5u);
  const std::vector<const char*> keys = Rows::keys(*env);
  EXPECT_EQ(std::string(keys.back()), "button_states");
}

TEST(ArmScript, EndsAfterItsPlanAndStaysWithinItsLimits) {
  const auto env = make_env("scene-v0", {.terminate_at_goal = false});
  env->play()->start_play(Rng(4));
  const ArmView& arm = *env->arm();
  Rng rng(5);
  for (const auto& keyframes : {move_cube(arm, 0, {kNoRotation, {0.4, 0, 0.02}}, rng), press_button(arm, 1, rng),
                                pull(arm, Slide::kDrawer, 0, rng)}) {
    ArmScript script(keyframes, 0.1, rng);
    const size_t length = script.plan().size();
    EXPECT_EQ(length, static_cast<size_t>(std::ceil(keyframes.back().time / 0.05 - 1e-9)));
    for (size_t t = 0; t < length; ++t) {
      EXPECT_FALSE(script.done());
      for (const double a : script.next(arm)) EXPECT_LE(std::abs(a), 1.0);
    }
    EXPECT_TRUE(script.done());
  }
}

}  // namespace
}  // namespace alps
