#include "alps/eval/episode_runner.h"

#include "alps/world/planar_view.h"

namespace alps {
namespace {

void reset_to(Planner& planner, Observation goal, Rng rng) {
  goal.image() ? planner.reset(goal.bytes(), rng) : planner.reset(goal.floats(), rng);
}

Decision decide_on(Planner& planner, Observation seen) {
  return seen.image() ? planner.act(seen.bytes()) : planner.act(seen.floats());
}

}  // namespace

void EpisodeRunner::start(int task, int index, const Rng& rng) {
  env_.reset(task, rng.fork(0));
  begin(task, index, rng);
}

void EpisodeRunner::start(Point2 start, Point2 goal, const Rng& rng) {
  if (env_.placement() == nullptr)
    throw UsageError(env_.spec().name, " can only be reset to its tasks: it has no places to start at");
  env_.placement()->reset(start, goal, rng.fork(0));
  begin(0, 0, rng);
}

void EpisodeRunner::begin(int task, int index, const Rng& rng) {
  reset_to(*planner_, env_.goal_observation(), rng.fork(1));
  record_ = {.task = task, .index = index};
  if (const PlanarView* plane = env_.planar()) {
    record_.start = plane->position();
    record_.goal = plane->goal();
    record_.path = {plane->position()};
  }
  started_ = true;
  decision_ = {};
  result_ = {};
  replanned_.clear();
}

void EpisodeRunner::replace(Planner& planner, Rng rng) {
  planner_ = &planner;
  if (started_) reset_to(planner, env_.goal_observation(), rng);
}

const Decision& EpisodeRunner::decide() {
  ALPS_CHECK(!done() && started_);
  decision_ = decide_on(*planner_, env_.observation());
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
  const PlanarView* plane = env_.planar();
  if (plane != nullptr) record_.path.push_back(plane->position());
  if (result_.done()) {
    record_.success = result_.success;
    if (plane != nullptr) record_.goal_distance = distance(plane->position(), plane->goal());
    record_.outcome = record_.success ? Outcome::kSuccess : judge(record_, env_, decision_.goal_cluster, replanned_);
  }
}

const Decision& EpisodeRunner::step() {
  decide();
  act();
  return decision_;
}

Decision EpisodeRunner::preview() const {
  Planner copy(*planner_);
  return decide_on(copy, env_.observation());
}

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
