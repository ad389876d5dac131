// The house is open for worlds that nobody has named: the three tanks of tests/world, which have no plane, no body and
// no MuJoCo, under a policy that is written here, through evaluation, the census of failures and the narration.
#include <gtest/gtest.h>

#include "../world/tanks_env.h"
#include "alps/eval/evaluate.h"
#include "alps/eval/narration.h"

namespace alps {
namespace {

// Opens each inlet by how much the tank behind it, and all tanks further on, lack; a `gain` of -1 does the opposite of
// what is wanted.
class Plumber : public Policy {
 public:
  explicit Plumber(double gain = 1) : gain_(gain) {
    spec_ = {.observation_shape = {3}, .image = false, .actions = {{1, 1, 1}, {}}};
  }
  void reset(Observation goal, Rng) override { goal_.assign(goal.floats().begin(), goal.floats().end()); }
  Decision act(Observation seen) override {
    check_observation(spec_, seen);
    Decision decision;
    double lack = 0;
    for (int k = 2; k >= 0; --k) {
      lack += goal_[k] - seen.floats()[k];
      // what the leak of the last tank takes has to come through all inlets
      decision.action.insert(decision.action.begin(),
                             static_cast<float>(std::clamp(gain_ * (8 * lack + 0.2), -1.0, 1.0)));
    }
    return decision;
  }
  std::unique_ptr<Policy> clone() const override { return std::make_unique<Plumber>(*this); }
  const PolicySpec& spec() const override { return spec_; }

 private:
  double gain_;
  PolicySpec spec_;
  std::vector<float> goal_;
};

EvalResult run(double gain, int threads = 1, int steps = 200) {
  const TanksEnv env({.max_episode_steps = steps});
  return evaluate(env, [=] { return std::make_unique<Plumber>(gain); },
                  {.episodes = 10, .seed = 3, .threads = threads});
}

TEST(Tanks, APolicyReachesItsGoals) {
  const EvalResult result = run(1);
  EXPECT_EQ(result.tasks(), (std::vector<int>{1, 2}));
  EXPECT_EQ(result.count(), 20u);
  EXPECT_EQ(result.successes(), 20u);
  EXPECT_EQ(result.census()[0], 20u);
  for (const EpisodeRecord& e : result.episodes) {
    EXPECT_EQ(e.outcome, Outcome::kSuccess);
    EXPECT_GT(e.steps, 5);
    EXPECT_LT(e.steps, 200);
    // there are no places, and no regions
    EXPECT_TRUE(e.path.empty());
    EXPECT_TRUE(e.first_route.empty());
    EXPECT_EQ(e.clusters, std::vector<int>(e.steps, -1));
    EXPECT_EQ(e.goal_distance, 0);
  }
}

TEST(Tanks, ResultsDoNotDependOnThreads) {
  const EvalResult one = run(1), three = run(1, 3);
  for (size_t i = 0; i < one.episodes.size(); ++i) {
    EXPECT_EQ(one.episodes[i].task, three.episodes[i].task);
    EXPECT_EQ(one.episodes[i].steps, three.episodes[i].steps);
  }
}

TEST(Tanks, FailuresAreJudgedByWhatIsSeen) {
  // the opposite of what is wanted ends in levels that no longer change: who looks at the last 200 steps sees them
  // stand
  const EvalResult wrong = run(-1, 1, 400);
  EXPECT_EQ(wrong.successes(), 0u);
  EXPECT_EQ(wrong.census()[static_cast<size_t>(Outcome::kStuck)], 20u);
  for (const EpisodeRecord& e : wrong.episodes) EXPECT_EQ(e.steps, 400);
  // who is stopped on the right way was only too slow
  const EvalResult slow = run(1, 1, 5);
  EXPECT_EQ(slow.census()[static_cast<size_t>(Outcome::kOutOfTime)], 20u);
}

TEST(Tanks, EpisodesAreToldWithoutPlaces) {
  for (const double gain : {1.0, -1.0}) {
    TanksEnv env;
    Plumber policy(gain);
    EpisodeRunner runner(env, policy);
    runner.start(1, 0, Rng(5));
    Narrator narrator({1, 1});
    std::vector<Event> events;
    while (!runner.done()) {
      const Decision& decision = runner.step();
      for (const Event& event : narrator.after(runner.record(), decision, runner.done())) events.push_back(event);
    }
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(events[0].text, "decides without regions: heads straight for the goal");
    EXPECT_EQ(events[1].kind, gain > 0 ? "success" : "failure");
    EXPECT_EQ(events[1].step, runner.record().steps);
    const std::string begin = gain > 0 ? "goal reached in " : "failed after 200 steps: stood still for the last ";
    EXPECT_TRUE(events[1].text.starts_with(begin)) << events[1].text;
  }
}

TEST(Tanks, HasNoPlacesToStartAt) {
  TanksEnv env;
  Plumber policy;
  EpisodeRunner runner(env, policy);
  EXPECT_THROW(runner.start({0, 0}, {1, 1}, Rng(0)), UsageError);
}

TEST(Tanks, APolicyOfAnotherWorldIsRefused) {
  class Other : public Plumber {
   public:
    const PolicySpec& spec() const override { return spec_; }

   private:
    PolicySpec spec_{.observation_shape = {3}, .image = false, .actions = {{1, 1}, {}}};
  };
  const TanksEnv env;
  EXPECT_THROW(evaluate(env, [] { return std::make_unique<Other>(); }, {.episodes = 1}), Error);
}

}  // namespace
}  // namespace alps
