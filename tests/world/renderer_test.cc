// Rendered frames show what they should where they should: the body at its place, the goal's disc at its own, in the
// camera that OGBench uses. Needs OpenGL without a window (Debian: libegl1 and libgl1-mesa-dri), which the launcher
// installs for the tests.
#include "alps/world/renderer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "alps/base/error.h"
#include "alps/world/catalog.h"
#include "alps/world/gl_context.h"
#include "alps/world/physics_view.h"
#include "alps/world/planar_view.h"

#ifdef __SANITIZE_ADDRESS__
// drivers keep what they have compiled until the process ends
extern "C" const char* __lsan_default_suppressions() { return "leak:_dri\nleak:libgallium\nleak:libEGL\nleak:libLLVM"; }
#endif

namespace alps {
namespace {

// The mean place, in pixels, of what is in one frame but not in another, and how many pixels that are: `channel` of red
// stands out against it by 40 more than it does there. The disc is red but not green, bodies are red but not blue, and
// the floor is bluish.
struct Blob {
  double x = 0, y = 0, count = 0;
};

Blob find(const Frame& frame, const Frame& without, int channel) {
  Blob blob;
  for (int y = 0; y < frame.height; ++y)
    for (int x = 0; x < frame.width; ++x) {
      const uint8_t *here = frame.row(y) + 3 * x, *there = without.row(y) + 3 * x;
      if ((here[0] - here[channel]) - (there[0] - there[channel]) <= 40) continue;
      blob.x += x;
      blob.y += y;
      ++blob.count;
    }
  blob.x /= std::max(1.0, blob.count);
  blob.y /= std::max(1.0, blob.count);
  return blob;
}

// where a point on the floor lies in a frame: the free cells fill it but for a small margin
Point2 pixel(const Renderer& renderer, const Maze& maze, Point2 p) {
  const double scale = renderer.height() / (2 * 5.0 * (maze.height() - 2) * std::tan(22.5 * M_PI / 180));
  return {renderer.width() / 2.0 + scale * (p.x - 2.0 * (maze.width() - 3)),
          renderer.height() / 2.0 - scale * (p.y - 2.0 * (maze.height() - 3))};
}

class RendererTest : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Bodies, RendererTest,
                         testing::Values("pointmaze-medium-v0", "antmaze-large-v0", "humanoidmaze-medium-v0"),
                         [](const auto& info) {
                           return std::string(info.param).substr(0, std::string(info.param).find('-'));
                         });

TEST_P(RendererTest, ShowsBodyAndGoalWhereTheyAre) {
  const auto env = make_env(GetParam());
  const Maze& maze = *env->planar()->maze();
  Renderer renderer(*env->body(), 320);
  EXPECT_EQ(renderer.width(), 320);
  EXPECT_EQ(renderer.height(), std::lround(320.0 * (maze.height() - 2) / (maze.width() - 2)));
  const Point2 corner = maze.center({1, 1}), other = maze.center({maze.height() - 2, 1});
  for (const auto& [start, goal] : {std::pair{corner, other}, {other, corner}}) {
    env->placement()->reset(start, goal, Rng(1));
    const Point2 at = pixel(renderer, maze, env->planar()->position()), there = pixel(renderer, maze, goal);
    const Frame frame = renderer.render(env->physics()->qpos(), goal),
                other_goal = renderer.render(env->physics()->qpos(), start),
                away = renderer.render(env->physics()->qpos(), Point2{1000, 0}),
                arrived = renderer.render(env->body()->goal_qpos(), Point2{1000, 0});  // the disc is far away
    const Blob disc = find(frame, other_goal, 1), body = find(away, arrived, 2), there_body = find(arrived, away, 2);
    EXPECT_GT(disc.count, 10);
    EXPECT_NEAR(disc.x, there.x, 3);
    EXPECT_NEAR(disc.y, there.y, 3);
    // what stands up leans outwards under a camera above the middle
    EXPECT_GT(body.count, 8);
    EXPECT_NEAR(body.x, at.x, 14);
    EXPECT_NEAR(body.y, at.y, 14);
    // the posture of the goal's observation stands on the disc
    EXPECT_GT(there_body.count, 8);
    EXPECT_NEAR(there_body.x, there.x, 14);
    EXPECT_NEAR(there_body.y, there.y, 14);
  }
}

TEST(Renderer, TheSamePositionsGiveTheSamePictureInAnyThread) {
  const auto env = make_env("antmaze-medium-v0");
  env->reset(2, Rng(3));
  Renderer renderer(*env->body(), 160);
  const Frame first = renderer.render(env->physics()->qpos(), env->planar()->goal());
  Frame second;
  std::thread([&] { second = renderer.render(env->physics()->qpos(), env->planar()->goal()); }).join();
  EXPECT_EQ(first.rgb, second.rgb);
  const std::vector<double> before(env->physics()->qpos().begin(), env->physics()->qpos().end());
  for (int i = 0; i < 20; ++i) env->step(std::vector<double>(8, 0.5));
  EXPECT_NE(renderer.render(env->physics()->qpos(), env->planar()->goal()).rgb, first.rgb);
  EXPECT_EQ(renderer.render(before, env->planar()->goal()).rgb, first.rgb);
}

TEST(GlContext, SaysWhatIsMissing) {
  const auto message = [](const char* choice) {
    setenv("MUJOCO_GL", choice, 1);
    try {
      GlContext::make();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message("off").find("MUJOCO_GL=off"), std::string::npos);
  unsetenv("MUJOCO_GL");
}

}  // namespace
}  // namespace alps
