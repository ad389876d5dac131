// An episode step by step, by a planner and by a policy that knows nothing of planning.
#include "alps/eval/episode_runner.h"

#include <gtest/gtest.h>

#include "alps/eval/evaluate.h"
#include "alps/world/catalog.h"
#include "walker.h"

namespace alps {
namespace {

TEST(EpisodeRunner, GoesStepByStepWhereTheEvaluationGoes) {
  const auto env = make_env("pointmaze-medium-v0", {.max_episode_steps = 40});
  Planner one = walker(), other = walker();
  const EpisodeRecord whole = run_episode(*env, one, 1, 0, Rng(7));
  EpisodeRunner runner(*env, other);
  runner.start(1, 0, Rng(7));
  while (!runner.done()) {
    const Decision next = runner.preview();
    EXPECT_EQ(next.action, runner.step().action);  // looking ahead changes nothing
  }
  EXPECT_EQ(runner.record().task, 1);
  EXPECT_EQ(runner.record().path, whole.path);
  EXPECT_EQ(runner.record().clusters, whole.clusters);
  EXPECT_EQ(whole.clusters.size(), static_cast<size_t>(whole.steps));
  EXPECT_EQ(whole.decision_ms.size(), static_cast<size_t>(whole.steps));
  EXPECT_EQ(whole.goal_distances.size(), static_cast<size_t>(whole.steps));
  EXPECT_NEAR(whole.goal_distances[0], distance(whole.start, whole.goal), 1e-4);  // psi is the place
  EXPECT_EQ(runner.record().outcome, whole.outcome);
  EXPECT_EQ(whole.path.size(), static_cast<size_t>(whole.steps) + 1);
}

TEST(EpisodeRunner, AnotherPlannerTakesOverOnTheWay) {
  const auto env = make_env("pointmaze-medium-v0");
  Planner one = walker(), other = walker();
  EpisodeRunner runner(*env, one);
  runner.start(Point2{0, 0}, Point2{3.5, 0}, Rng(1));
  for (int t = 0; t < 5; ++t) runner.step();
  runner.replace(other, Rng(2));
  while (!runner.done()) runner.step();
  EXPECT_TRUE(runner.record().success);
  EXPECT_EQ(runner.record().goal, (Point2{3.5, 0}));
  EXPECT_EQ(runner.record().start, (Point2{0, 0}));
  EXPECT_EQ(runner.record().task, 0);  // of nobody's
  EXPECT_EQ(runner.record().index, 0);
}

// a policy without psi, regions or search: always the same decision
class Constant : public Policy {
 public:
  explicit Constant(std::vector<float> action) { decision_.action = std::move(action); }
  explicit Constant(Decision decision) : decision_(std::move(decision)) {}
  void reset(Observation goal, Rng) override { check_observation(spec_, goal); }
  Decision act(Observation seen) override {
    check_observation(spec_, seen);
    return decision_;
  }
  std::unique_ptr<Policy> clone() const override { return std::make_unique<Constant>(*this); }
  const PolicySpec& spec() const override { return spec_; }

 private:
  Decision decision_;
  PolicySpec spec_{{2}, false, {{1, 1}, {}}};
};

TEST(EpisodeRunner, AnyPolicyActs) {
  const auto env = make_env("pointmaze-medium-v0");
  const auto run = [&](std::vector<float> action, Point2 goal) {
    Constant policy(std::move(action));
    EpisodeRunner runner(*env, policy);
    runner.start(Point2{0, 0}, goal, Rng(1));
    while (!runner.done()) {
      EXPECT_EQ(runner.preview().action, runner.decide().action);
      runner.act();
    }
    return runner.record();
  };
  // to the right it arrives, without a single region
  const EpisodeRecord right = run({1, 0}, {4, 0});
  EXPECT_EQ(right.outcome, Outcome::kSuccess);
  EXPECT_EQ(right.goal_cluster, -1);
  EXPECT_TRUE(right.first_route.empty());
  // against the wall it stands still; it is never "near the goal"
  const EpisodeRecord left = run({-1, 0}, {4, 0});
  EXPECT_EQ(left.outcome, Outcome::kStuck);
  EXPECT_NEAR(left.goal_distance, distance(left.path.back(), left.goal), 1e-9);
  EXPECT_GT(left.goal_distance, 4);
  EXPECT_GT(left.still, 200);
}

TEST(EpisodeRunner, RecordsWhatDecisionsSay) {
  const auto env = make_env("pointmaze-medium-v0", {.max_episode_steps = 20});
  Decision decision;
  decision.action = {0, 0};
  decision.cluster = 4;
  decision.goal_cluster = 6;
  decision.route = {4, 5, 6};
  decision.replanned = decision.no_route = true;
  Constant policy(decision);
  const EpisodeRecord record = run_episode(*env, policy, 2, 3, Rng(7));
  EXPECT_EQ(record.task, 2);
  EXPECT_EQ(record.index, 3);
  EXPECT_EQ(record.steps, 20);
  EXPECT_EQ(record.replans, 20);
  EXPECT_EQ(record.no_routes, 20);
  EXPECT_EQ(record.outcome, Outcome::kNoRoute);
  EXPECT_EQ(record.first_route, decision.route);
  EXPECT_EQ(record.clusters, std::vector<int>(20, 4));
  EXPECT_EQ(record.goal_cluster, 6);
}

TEST(Evaluate, TakesAnyPolicyAndRefusesOneOfAnotherWorld) {
  const auto env = make_env("pointmaze-medium-v0", {.max_episode_steps = 30}), ant = make_env("antmaze-medium-v0");
  const MakePolicy make = [] { return std::make_unique<Constant>(std::vector<float>{0, 0}); };
  const EvalResult result = evaluate(*env, make, {.episodes = 1, .threads = 2});
  EXPECT_EQ(result.count(), 5u);
  EXPECT_EQ(result.census()[static_cast<size_t>(Outcome::kStuck)], 5u);
  EXPECT_THROW(evaluate(*ant, make, {.episodes = 1}), Error);
}

TEST(StillCount, CountsWhatStaysNear) {
  StillCount still;
  const auto at = [](float x, float y) { return std::vector<float>{x, y}; };
  still.start(at(0, 0), at(3, 4));  // a radius of 0.25
  EXPECT_EQ(still.add(at(0, 0)), 1);
  EXPECT_EQ(still.add(at(0.2f, 0)), 2);
  EXPECT_EQ(still.add(at(0, -0.25f)), 3);
  EXPECT_EQ(still.add(at(0.26f, 0)), 1);  // from here on
  EXPECT_EQ(still.add(at(0.5f, 0)), 2);
  // bytes of images are counted alike
  const auto pixel = [](uint8_t x) { return std::vector<uint8_t>{x}; };
  still.start(pixel(0), pixel(100));
  EXPECT_EQ(still.add(pixel(5)), 1);
  EXPECT_EQ(still.add(pixel(6)), 1);
  EXPECT_EQ(still.add(pixel(2)), 2);
}

}  // namespace
}  // namespace alps
