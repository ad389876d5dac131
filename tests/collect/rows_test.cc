// Rows of a data set: what an environment shows goes into the file, and what it does not have is left out.
#include "alps/collect/rows.h"

#include <gtest/gtest.h>

#include "../base/temp_folder.h"
#include "../world/tanks_env.h"
#include "alps/data/dataset.h"
#include "alps/world/catalog.h"
#include "alps/world/physics_view.h"

namespace alps {
namespace {

TEST(Rows, OfAWorldWithoutPhysicsHaveNoPositions) {
  const TempFolder folder;
  TanksEnv env;
  env.reset(1, Rng(2));
  Rows rows(env, 6);
  RowsView view = rows.view(0, 6);
  std::vector<std::vector<float>> seen;
  for (size_t i = 0; i < 6; ++i) {
    const std::vector<double> action = {0.5, -0.25, 0.125 * static_cast<double>(i)};
    seen.emplace_back(env.observation().floats().begin(), env.observation().floats().end());
    view.set(i, env, action, i == 2 || i == 5);
    env.step(action);
  }
  NpzWriter out(folder / "tanks.npz");
  rows.save(out);
  const NpzReader file(folder / "tanks.npz");
  EXPECT_FALSE(file.has("qpos"));
  EXPECT_FALSE(file.has("qvel"));
  EXPECT_EQ(Rows::keys(env).size(), 3u);

  const Dataset data = load_dataset(folder / "tanks.npz");
  ASSERT_EQ(data.rows(), 6u);
  ASSERT_EQ(data.episodes.size(), 2u);
  EXPECT_EQ(data.episodes[1].first, 3u);
  for (size_t i = 0; i < 6; ++i) {
    const auto row = data.observations.row<float>(i);
    EXPECT_EQ(std::vector<float>(row.begin(), row.end()), seen[i]);
    EXPECT_EQ(data.actions.row<float>(i)[2], 0.125f * static_cast<float>(i));
  }
  EXPECT_THROW(Painter(env, 1), Error);
}

TEST(Rows, OfAWorldOfImagesAreItsBytes) {
  const TempFolder folder;
  const auto env = make_env("visual-maze2d-rooms-v0");
  env->reset(1, Rng(4));
  Rows rows(*env, 3);
  std::vector<uint8_t> seen;
  for (size_t i = 0; i < 3; ++i) {
    const auto now = env->observation().bytes();
    seen.insert(seen.end(), now.begin(), now.end());
    rows.view(0, 3).set(i, *env, std::vector<double>{0.1, -0.1}, i == 2);
    env->step(std::vector<double>{0.1, -0.1});
  }
  NpzWriter out(folder / "images.npz");
  rows.save(out);
  const Array images = NpzReader(folder / "images.npz").read("observations");
  EXPECT_EQ(images.shape(), (Shape{3, 100, 100, 1}));
  EXPECT_TRUE(std::ranges::equal(images.as<uint8_t>(), seen));

  // painted after the same walk in numbers, they are the same
  const auto numbers = make_env("maze2d-rooms-v0");
  numbers->reset(1, Rng(4));
  Rows places(*numbers, 3);
  for (size_t i = 0; i < 3; ++i) {
    places.view(0, 3).set(i, *numbers, std::vector<double>{0.1, -0.1}, i == 2);
    numbers->step(std::vector<double>{0.1, -0.1});
  }
  NpzWriter later(folder / "painted.npz");
  Painter painter(*env, 2);
  places.save_images(later, painter);
  EXPECT_TRUE(std::ranges::equal(NpzReader(folder / "painted.npz").read("observations").as<uint8_t>(), seen));
}

TEST(Rows, OfABodyHaveItsPositionsAndVelocities) {
  const TempFolder folder;
  const auto env = make_env("antmaze-medium-v0");
  env->reset(3, Rng(1));
  Rows rows(*env, 1);
  rows.view(0, 1).set(0, *env, std::vector<double>(8), true);
  NpzWriter out(folder / "ant.npz");
  rows.save(out);
  const NpzReader file(folder / "ant.npz");
  for (const char* key : Rows::keys(*env)) EXPECT_TRUE(file.has(key)) << key;
  const Array qpos = file.read("qpos"), qvel = file.read("qvel");
  const auto expected = env->physics()->qpos(), speeds = env->physics()->qvel();
  ASSERT_EQ(qpos.size(), 15u);
  ASSERT_EQ(qvel.size(), 14u);
  for (size_t k = 0; k < 15; ++k) EXPECT_EQ(qpos.as<float>()[k], static_cast<float>(expected[k]));
  for (size_t k = 0; k < 14; ++k) EXPECT_EQ(qvel.as<float>()[k], static_cast<float>(speeds[k]));
}

}  // namespace
}  // namespace alps
