// Maze2D from images, end to end but for the training: a model made by hand whose convolutions tell the position, a
// planner on pictures, and the evaluation, which must not depend on the number of threads.
#include <gtest/gtest.h>

#include "alps/eval/evaluate.h"
#include "alps/plan/planner.h"
#include "alps/run/regions.h"
#include "alps/world/catalog.h"
#include "alps/world/planar_view.h"

namespace alps {
namespace {

// Sums of brightness over a coarse grid, weighted with the place of the grid's cells: convolutions that add up their
// patch with tents, so that the sum of (cell * brightness) / (sum of brightness) moves with the dot.
std::shared_ptr<Model> position_model() {
  const Shape image = {100, 100, 1};
  std::vector<Linear> convolutions;
  size_t channels = 1;
  for (const ConvShape& shape : kTrunkShape) {
    std::vector<float> weight(shape.channels * channels * shape.kernel * shape.kernel, 0.0f);
    const int k = static_cast<int>(shape.kernel);
    for (int y = 0; y < k; ++y)
      for (int x = 0; x < k; ++x) {
        const auto tent = [&](int i) { return 1.0f - std::abs(2 * i + 1 - k) / static_cast<float>(k); };
        weight[y * k + x] = tent(y) * tent(x);  // the first channel alone
      }
    convolutions.emplace_back(channels * k * k, shape.channels, std::move(weight), std::vector<float>(shape.channels));
    channels = shape.channels;
  }
  // 5 x 5 cells of the first channel -> brightness by row, by column, and in all
  const size_t features = trunk_features(image);
  std::vector<float> weight(2 * features, 0.0f);
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 5; ++x) {
      weight[y * 5 + x] = static_cast<float>(y - 2);
      weight[features + y * 5 + x] = static_cast<float>(x - 2);
    }
  auto model = std::make_shared<Model>();
  model->trunk = Trunk(image, std::move(convolutions), Mlp({Linear(features, 2, std::move(weight), {0, 0})}));
  model->mean = {0, 0};
  model->deviation = {1, 1};
  model->actions.limit = {0.2f, 0.2f};
  model->representation = Mlp({Linear(2, 2, {1, 0, 0, 1}, {0, 0})});
  model->eigenvalues = {1, 1};
  model->model = Mlp({Linear(4, 2, {0, 0, 4, 0, 0, 0, 0, 4}, {0, 0})});  // a step moves psi along
  model->change_mean = {0, 0};
  model->change_deviation = {1, 1};
  return model;
}

// few long steps: a search of five iterations, two steps ahead
PlannerSettings search_settings(int samples = 128) {
  PlannerSettings s;
  s.horizon = 2;
  s.samples_alone = samples;
  s.iterations_alone = 5;
  s.noise_beta = 0;
  s.patience = s.fall_back = 0;
  return s;
}

TEST(Maze2dEval, PlannerTakesPictures) {
  const auto env = make_env("visual-maze2d-hallway-v0");
  const auto model = position_model();
  const auto decide = [&](Point2 start, Point2 goal) {
    Planner planner(model, nullptr, "cem", search_settings());
    EpisodeRunner runner(*env, planner);
    runner.start(start, goal, Rng(1));
    EXPECT_THROW(planner.act(std::vector<float>(10000)), Error);  // an image is bytes
    return runner.decide();
  };
  // the action leads towards the goal, in the space in which this model sees both
  for (const auto& [start, goal] : {std::pair<Point2, Point2>{{0.1, 0.2}, {0.45, 0.2}}, {{0.45, 0.2}, {0.1, 0.3}}}) {
    const Decision decision = decide(start, goal);
    double along = 0;
    for (size_t i = 0; i < 2; ++i) along += decision.action[i] * (decision.subgoal[i] - decision.psi[i]);
    EXPECT_GT(along, 0);
    EXPECT_GT(decision.goal_distance, 0.1);
    for (const float a : decision.action) EXPECT_LE(std::abs(a), 0.2f);
  }
}

TEST(Maze2dEval, DoesNotDependOnThreads) {
  const auto env = make_env("visual-maze2d-hallway-v0");
  const auto model = position_model();
  const auto graph = std::make_shared<ClusterGraph>(one_region(*model, 100));
  const PlannerSettings settings = search_settings(40);
  const auto run = [&](int threads, uint64_t seed) {
    return evaluate(*env, [&] { return std::make_unique<Planner>(model, graph, "dijkstra+cem", settings); },
                    {.episodes = 8, .seed = seed, .threads = threads});
  };
  const EvalResult one = run(1, 3), four = run(4, 3), other = run(1, 4);
  ASSERT_EQ(one.episodes.size(), 8u);
  bool same_as_other = true;
  for (size_t i = 0; i < 8; ++i) {
    const EpisodeRecord &a = one.episodes[i], &b = four.episodes[i];
    EXPECT_EQ(a.steps, b.steps);
    EXPECT_LE(a.steps, 30);
    EXPECT_EQ(a.success, b.success);
    ASSERT_EQ(a.path.size(), b.path.size());
    for (size_t k = 0; k < a.path.size(); ++k) EXPECT_EQ(distance(a.path[k], b.path[k]), 0.0);
    same_as_other = same_as_other && distance(a.start, other.episodes[i].start) == 0;
  }
  EXPECT_FALSE(same_as_other);
}

TEST(Maze2dEval, WatchingChangesNothing) {
  const auto env = make_env("visual-maze2d-hallway-v0");
  const auto model = position_model();
  const auto run = [&](int shown, const EpisodeWatch& watch) {
    PlannerSettings settings = search_settings(40);
    settings.shown = shown;
    return evaluate(*env, [&] { return std::make_unique<Planner>(model, nullptr, "cem", settings); },
                    {.episodes = 4, .seed = 3, .threads = 2, .watch = watch});
  };
  const EvalResult plain = run(0, {});
  std::vector<std::vector<Point2>> seen(4);
  std::vector<int> ends(4);
  const EvalResult watched = run(5, [&](int task, int index, const Env& world, const Decision* decision) {
    EXPECT_EQ(task, 1);
    EXPECT_EQ(ends[index], 0);  // nothing comes after the end
    seen[index].push_back(world.planar()->position());
    if (decision == nullptr) {
      ++ends[index];
    } else {
      EXPECT_EQ(decision->imagined.size(), 5u);
      EXPECT_EQ(decision->imagined_plan.size(),
                3u * 2);  // of states of two numbers: now, and after each of two actions
    }
  });
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(ends[i], 1);
    EXPECT_EQ(seen[i], plain.episodes[i].path);
    EXPECT_EQ(watched.episodes[i].path, plain.episodes[i].path);
  }
}

}  // namespace
}  // namespace alps
