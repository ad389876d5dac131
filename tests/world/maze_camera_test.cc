// The camera of the visual mazes: frames show what they should, follow from qpos alone, and have the same bytes on
// every processor. Whether they look like MuJoCo's is tests/align/test_frames.py.
#include "alps/world/maze_camera.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "alps/base/error.h"
#include "alps/base/hash.h"
#include "alps/world/catalog.h"
#include "alps/world/image_view.h"
#include "alps/world/physics_view.h"
#include "alps/world/planar_view.h"

namespace alps {
namespace {

struct Pixel {
  int red, green, blue;
};

class MazeCameraTest : public testing::Test {
 protected:
  // an ant on its feet at (x, y)
  static std::vector<float> standing(float x, float y) { return {x, y, 0.5f, 1, 0, 0, 0, 0, 1, 0, -1, 0, -1, 0, 1}; }
  std::vector<uint8_t> frame(const std::string& maze, const std::vector<float>& qpos) {
    MazeCamera camera(load_maze_model("ant", Maze::named(maze)), Maze::named(maze));
    std::vector<uint8_t> pixels(MazeCamera::kBytes);
    camera.see(qpos, pixels);
    return pixels;
  }
  static Pixel at(const std::vector<uint8_t>& frame, int x, int y) {
    const uint8_t* p = frame.data() + 3 * (y * MazeCamera::kSide + x);
    return {p[0], p[1], p[2]};
  }
  // how many pixels are of the body's own colour: much red, less green, little blue
  static int body_pixels(const std::vector<uint8_t>& frame) {
    int count = 0;
    for (size_t p = 0; p < frame.size(); p += 3)
      count += frame[p] > frame[p + 1] + 15 && frame[p + 1] > frame[p + 2] + 15;
    return count;
  }
};

TEST_F(MazeCameraTest, ShowsBodyWallsAndTheFloorsPlace) {
  const auto low = frame("medium", standing(0, 0)), high = frame("medium", standing(20, 20));
  EXPECT_GT(body_pixels(low), 50);
  EXPECT_GT(body_pixels(high), 50);
  // red falls with y, green grows with x: right of the body is floor
  EXPECT_GT(at(low, 44, 40).red, at(high, 44, 40).red + 100);
  EXPECT_LT(at(low, 44, 40).green, at(high, 44, 40).green - 100);
  // the wall to the left of the first cell shows its dark side
  EXPECT_EQ(at(low, 3, 32).red, 15);
  EXPECT_EQ(at(low, 3, 32).green, 15);
  // the torso shines above the shadow below it
  EXPECT_GT(at(low, 32, 31).red, 150);
}

TEST_F(MazeCameraTest, OneLegIsWhiteAndItsShadowDark) {
  const auto seen = frame("giant", standing(32, 8));
  int white = 0, shaded = 0;
  for (size_t p = 0; p < seen.size(); p += 3) white += seen[p] > 200 && seen[p + 1] > 200 && seen[p + 2] > 200;
  EXPECT_GT(white, 10);
  // floor in shadow has the headlight's light only, less than half of a lit floor's blue
  for (size_t p = 0; p < seen.size(); p += 3) shaded += seen[p + 2] < 70 && seen[p + 2] > 50;
  EXPECT_GT(shaded, 30);
}

TEST_F(MazeCameraTest, AWallHidesWhatIsBehindIt) {
  // cell (3, 1) of the medium maze is a wall, (4, 1) behind it is free: its near edge is at y = 10
  EXPECT_GT(body_pixels(frame("medium", standing(0, 12))), body_pixels(frame("medium", standing(0, 10.3f))) + 30);
}

TEST_F(MazeCameraTest, TeleportsAreDiscs) {
  const auto entry = frame("teleport", standing(0, 14.5f)), elsewhere = frame("teleport", standing(8, 0));
  const auto bluish = [](const std::vector<uint8_t>& f) {
    int count = 0;
    for (size_t p = 0; p < f.size(); p += 3) count += f[p + 2] > 230 && f[p] + 60 < f[p + 2];
    return count;
  };
  EXPECT_GT(bluish(entry), bluish(elsewhere) + 100);
}

TEST_F(MazeCameraTest, AFrameFollowsFromQposAlone) {
  const auto env = make_env("visual-antmaze-teleport-v0");
  env->reset(2, Rng(5));
  const auto other = env->clone();
  other->reset(1, Rng(1));
  std::vector<uint8_t> rendered(MazeCamera::kBytes);
  Rng rng(3);
  for (int t = 0; t < 20; ++t) {
    std::vector<double> action(8);
    for (double& a : action) a = rng.uniform(-1, 1);
    env->step(action);
    // a teleported agent sees its new place only after the next step, so this asks the same moment
    std::vector<float> qpos(env->physics()->qpos().begin(), env->physics()->qpos().end());
    other->images()->render(qpos, rendered);
    EXPECT_TRUE(std::ranges::equal(env->observation().bytes(), rendered)) << t;
  }
  // looking at something else between changes nothing
  const ObservationCopy before(env->observation());
  env->images()->render(standing(0, 0), rendered);
  EXPECT_FALSE(std::ranges::equal(before.view().bytes(), rendered));
  EXPECT_TRUE(before.view() == env->observation());
}

TEST_F(MazeCameraTest, SameWorldAsWithoutImages) {
  const auto seen = make_env("visual-antmaze-large-v0"), numbers = make_env("antmaze-large-v0");
  EXPECT_EQ(seen->spec().observation_shape, (Shape{64, 64, 3}));
  EXPECT_TRUE(seen->spec().image);
  seen->reset(3, Rng(7));
  numbers->reset(3, Rng(7));
  std::vector<uint8_t> goal(MazeCamera::kBytes);
  seen->images()->render(numbers->goal_observation().floats(), goal);
  EXPECT_TRUE(std::ranges::equal(seen->goal_observation().bytes(), goal));
  Rng rng(1);
  for (int t = 0; t < 30; ++t) {
    std::vector<double> action(8);
    for (double& a : action) a = rng.uniform(-1, 1);
    EXPECT_EQ(seen->step(action).success, numbers->step(action).success);
    EXPECT_TRUE(std::ranges::equal(seen->physics()->qpos(), numbers->physics()->qpos()));
  }
}

TEST_F(MazeCameraTest, SameBytesOnEveryProcessor) {
  // sanitizers build for processors without vectors of eight: there this is the same test with other instructions
  std::string bytes;
  for (const char* maze : {"medium", "large", "giant", "teleport"})
    for (const auto& [x, y] : {std::pair{0.3f, -0.7f}, {4.9f, 1.1f}, {0.2f, 15.2f}, {20.6f, 12.4f}}) {
      std::vector<float> qpos = standing(x, y);
      qpos[4] = 0.3f * x;
      qpos[5] = 0.1f * y;
      qpos[9] = 0.5f;
      qpos[12] = -1.2f;
      const auto seen = frame(maze, qpos);
      bytes.append(seen.begin(), seen.end());
    }
  EXPECT_EQ(hash_name(bytes), "bae0a915f7f36d12")
      << "what a camera shows has changed: made data sets and trained runs no longer fit";
}

TEST_F(MazeCameraTest, RefusesWhatIsNoPosture) {
  const auto env = make_env("visual-antmaze-medium-v0");
  env->reset(1, Rng(0));
  std::vector<uint8_t> pixels(MazeCamera::kBytes);
  EXPECT_THROW(env->images()->render(std::vector<float>(14, 0.0f), pixels), Error);
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 1e9f}) {
    std::vector<float> qpos = standing(0, 0);
    qpos[2] = bad;
    EXPECT_THROW(env->images()->render(qpos, pixels), Error) << bad;
  }
  // far away, upside down, below the floor: a picture of something, and no crash
  for (const float far : {-9000.0f, -7.0f, 2000.5f}) {
    std::vector<float> qpos = standing(far, -far);
    qpos[2] = far / 10;
    qpos[3] = 0;
    qpos[4] = 1;
    EXPECT_NO_THROW(env->images()->render(qpos, pixels));
  }
}

}  // namespace
}  // namespace alps
