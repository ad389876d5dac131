#include "alps/world/scene_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "alps/world/arm_view.h"
#include "alps/world/catalog.h"
#include "alps/world/env.h"
#include "alps/world/physics_view.h"
#include "alps/world/planar_view.h"

namespace alps {
namespace {

size_t moving(const SceneParts& scene) { return std::ranges::count(scene.parts(), false, &ScenePart::still); }

// corners of a mesh lie around its middle, and its normals have length 1
void expect_sound(const SceneMesh& mesh) {
  ASSERT_FALSE(mesh.positions.empty());
  ASSERT_EQ(mesh.positions.size(), mesh.normals.size());
  ASSERT_EQ(mesh.positions.size() % 9, 0u);
  for (size_t i = 0; i < mesh.normals.size(); i += 3) {
    EXPECT_NEAR(std::hypot(mesh.normals[i], mesh.normals[i + 1], mesh.normals[i + 2]), 1, 1e-3);
    EXPECT_LT(std::hypot(mesh.positions[i], mesh.positions[i + 1], mesh.positions[i + 2]), 1);
  }
}

TEST(SceneParts, AnAntBetweenWalls) {
  const auto ant = make_env("antmaze-medium-v0");
  ant->placement()->reset(Point2{4, 8}, Point2{0, 0}, Rng(0));
  SceneParts scene(*ant->body());
  EXPECT_GE(moving(scene), 9u);                          // a torso and eight limbs
  EXPECT_GT(scene.parts().size() - moving(scene), 20u);  // walls
  const std::vector<double> poses = scene.poses(ant->physics()->qpos());
  ASSERT_EQ(poses.size(), 7 * scene.parts().size());
  for (size_t i = 0; i < scene.parts().size(); ++i) {
    const ScenePart& part = scene.parts()[i];
    const double* p = &poses[7 * i];
    EXPECT_NEAR(std::hypot(std::hypot(p[3], p[4]), std::hypot(p[5], p[6])), 1, 1e-9);
    EXPECT_GT(part.size[0], 0);
    EXPECT_EQ(part.goal, !part.still);  // there is nothing but the ant to show at the goal
    const Point2 at = ant->planar()->position();
    EXPECT_TRUE(part.still || std::hypot(p[0] - at.x, p[1] - at.y) < 1.5);
  }
}

TEST(SceneParts, APointIsOnePart) {
  const auto point = make_env("pointmaze-medium-v0");
  EXPECT_LE(moving(SceneParts(*point->body())), 1u);
}

TEST(SceneParts, CubesAreWhereTheArmSeesThem) {
  const auto env = make_env("cube-double-v0");
  env->reset(2, Rng(3));
  SceneParts scene(*env->body());
  std::vector<size_t> goals;
  for (size_t i = 0; i < scene.parts().size(); ++i)
    if (scene.parts()[i].goal) goals.push_back(i);
  ASSERT_EQ(goals.size(), 2u);  // the cubes, and nothing of the arm
  const std::vector<double> now = scene.poses(env->physics()->qpos()), there = scene.poses(env->body()->goal_qpos());
  for (int c = 0; c < 2; ++c) {
    EXPECT_EQ(scene.parts()[goals[c]].shape, "box");
    const Vec3 at = env->arm()->cube(c).position;
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(now[7 * goals[c] + k], at[k], 1e-9);
  }
  // at least one of them has to be moved
  double way = 0;
  for (const size_t i : goals) way += std::hypot(now[7 * i] - there[7 * i], now[7 * i + 1] - there[7 * i + 1]);
  EXPECT_GT(way, 0.05);
  size_t meshes = 0;
  for (const ScenePart& part : scene.parts())
    if (part.mesh) {
      ++meshes;
      expect_sound(scene.mesh(*part.mesh));
    }
  EXPECT_GT(meshes, 10u);
}

TEST(SceneParts, ButtonsAreNumbered) {
  const auto env = make_env("puzzle-3x3-v0");
  const SceneParts scene(*env->body());
  std::vector<int> numbers;
  for (const ScenePart& part : scene.parts())
    if (part.button) numbers.push_back(*part.button);
  std::ranges::sort(numbers);
  EXPECT_EQ(numbers, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

}  // namespace
}  // namespace alps
