// A world of the tests' own, without a plane, a body or MuJoCo: three tanks in a row. A pump fills the first, a valve
// leads from each to the next, and the last leaks. An action opens pump and valves; the goal is a set of levels. It is
// written as a user would write one, against env.h alone, and proves that nothing else is needed.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "alps/base/error.h"
#include "alps/world/env.h"

namespace alps {

class TanksEnv : public Env {
 public:
  using Levels = std::array<double, 3>;
  static constexpr double kTolerance = 0.06;

  explicit TanksEnv(EnvOptions options = {}) : terminate_at_goal_(options.terminate_at_goal) {
    spec_ = {.name = "tanks-v0",
             .observation_shape = {3},
             .action_size = 3,
             .max_episode_steps = options.max_episode_steps > 0 ? options.max_episode_steps : 200,
             .num_tasks = 2};
  }

  std::unique_ptr<Env> clone() const override { return std::make_unique<TanksEnv>(*this); }
  const EnvSpec& spec() const override { return spec_; }

  // task 1: from nearly empty to high in the last tank; task 2: from full to nearly empty
  void reset(int task, Rng rng) override {
    if (task < 1 || task > spec_.num_tasks) throw UsageError(spec_.name, " has tasks 1 and 2, not ", task);
    for (double& level : levels_) level = (task == 1 ? 0.1 : 0.9) + rng.uniform(-0.05, 0.05);
    goal_ = task == 1 ? Levels{0.3, 0.3, 0.8} : Levels{0.1, 0.1, 0.1};
    steps_ = 0;
    look();
  }

  StepResult step(std::span<const double> action) override {
    if (action.size() != 3) throw Error(spec_.name, ": an action has 3 numbers, not ", action.size());
    const auto open = [&](int k) { return (std::clamp(action[k], -1.0, 1.0) + 1) / 2; };
    // Torricelli: what leaves a tank goes with the root of its level
    const double pumped = 0.06 * open(0), first = 0.08 * open(1) * std::sqrt(levels_[0]),
                 second = 0.08 * open(2) * std::sqrt(levels_[1]), leaked = 0.04 * std::sqrt(levels_[2]);
    const Levels change = {pumped - first, first - second, second - leaked};
    for (int k = 0; k < 3; ++k) levels_[k] = std::clamp(levels_[k] + change[k], 0.0, 1.0);
    ++steps_;
    look();
    const auto near = [&](int k) { return std::abs(levels_[k] - goal_[k]) <= kTolerance; };
    const bool success = near(0) && near(1) && near(2);
    return {success, success && terminate_at_goal_, steps_ >= spec_.max_episode_steps};
  }

  Observation observation() const override { return std::span<const float>(seen_); }
  Observation goal_observation() const override { return std::span<const float>(seen_goal_); }

  std::vector<double> state() const override {
    std::vector<double> state(levels_.begin(), levels_.end());
    state.insert(state.end(), goal_.begin(), goal_.end());
    state.push_back(steps_);
    return state;
  }
  void set_state(std::span<const double> state) override {
    if (state.size() != 7) throw Error(spec_.name, ": a state has 7 numbers, not ", state.size());
    std::copy_n(state.begin(), 3, levels_.begin());
    std::copy_n(state.begin() + 3, 3, goal_.begin());
    steps_ = static_cast<int>(state[6]);
    look();
  }

 private:
  void look() {
    std::ranges::transform(levels_, seen_.begin(), [](double x) { return static_cast<float>(x); });
    std::ranges::transform(goal_, seen_goal_.begin(), [](double x) { return static_cast<float>(x); });
  }

  EnvSpec spec_;
  bool terminate_at_goal_;
  Levels levels_{}, goal_{};
  std::array<float, 3> seen_{}, seen_goal_{};
  int steps_ = 0;
};

}  // namespace alps
