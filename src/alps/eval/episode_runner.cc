#include "alps/eval/episode_runner.h"

namespace alps {
namespace {

std::vector<float> to_floats(std::span<const double> values) { return {values.begin(), values.end()}; }

}  // namespace

void EpisodeRunner::start(int task, int index, const Rng& rng) {
  env_.reset(task, rng.fork(0));
  begin(task, index, rng);
}

void EpisodeRunner::start(Point2 start, Point2 goal, const Rng& rng) {
  env_.reset(start, goal, rng.fork(0));
  begin(0, 0, rng);
}

void EpisodeRunner::begin(int task, int index, const Rng& rng) {
  planner_->reset(to_floats(env_.goal_observation()), rng.fork(1));
  record_ = {.task = task, .index = index, .start = env_.position(), .goal = env_.goal(), .path = {env_.position()}};
  decision_ = {};
  result_ = {};
  replanned_.clear();
}

void EpisodeRunner::replace(Planner& planner, Rng rng) {
  planner_ = &planner;
  if (!record_.path.empty()) planner.reset(to_floats(env_.goal_observation()), rng);
}

const Decision& EpisodeRunner::decide() {
  ALPS_CHECK(!done() && !record_.path.empty());
  decision_ = planner_->act(to_floats(env_.observation()));
  if (record_.steps == 0) record_.first_route = decision_.route;
  record_.clusters.push_back(decision_.cluster);
  replanned_.push_back(decision_.replanned);
  record_.replans += decision_.replanned;
  record_.no_routes += decision_.no_route;
  record_.decision_ms.push_back(static_cast<float>(decision_.total_ms));
  return decision_;
}

void EpisodeRunner::act() {
  ALPS_CHECK(record_.clusters.size() == static_cast<size_t>(record_.steps) + 1);  // decided, once
  result_ = env_.step(std::vector<double>(decision_.action.begin(), decision_.action.end()));
  ++record_.steps;
  record_.path.push_back(env_.position());
  if (result_.done()) {
    record_.success = result_.success;
    record_.goal_distance = distance(env_.position(), env_.goal());
    record_.outcome = record_.success ? Outcome::kSuccess : judge(record_, env_, decision_.goal_cluster, replanned_);
  }
}

const Decision& EpisodeRunner::step() {
  decide();
  act();
  return decision_;
}

Decision EpisodeRunner::preview() const { return Planner(*planner_).act(to_floats(env_.observation())); }

EpisodeRecord run_episode(Env& env, Planner& planner, int task, int index, const Rng& rng, const EpisodeWatch& watch) {
  EpisodeRunner runner(env, planner);
  runner.start(task, index, rng);
  while (!runner.done()) {
    const Decision& decision = runner.decide();
    if (watch) watch(task, index, env, &decision);
    runner.act();
  }
  if (watch) watch(task, index, env, nullptr);
  return runner.record();
}

}  // namespace alps
