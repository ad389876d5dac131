#include "alps/eval/episode_runner.h"

#include <cmath>

#include "alps/world/maze.h"
#include "alps/world/planar_view.h"

namespace alps {
namespace {

constexpr double kNear = 0.05;  // of the distance from start to goal: who stays within it stands still

double distance(const Observation& a, const Observation& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double d = a.image() ? static_cast<double>(a.bytes()[i]) - b.bytes()[i]
                               : static_cast<double>(a.floats()[i]) - b.floats()[i];
    sum += d * d;
  }
  return std::sqrt(sum);
}

}  // namespace

void StillCount::start(Observation first, Observation goal) {
  anchor_ = first;
  radius_ = kNear * distance(first, goal);
  count_ = 0;
}

int StillCount::add(Observation next) {
  if (distance(anchor_, next) > radius_) {
    anchor_ = next;
    count_ = 0;
  }
  return ++count_;
}

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
  const Observation goal = env_.goal_observation();
  policy_->reset(goal, rng.fork(1));
  record_ = {.task = task, .index = index};
  if (const PlanarView* plane = env_.planar()) {
    record_.start = plane->position();
    record_.goal = plane->goal();
    record_.path = {plane->position()};
  }
  started_ = true;
  decision_ = {};
  result_ = {};
  still_.start(env_.observation(), goal);
}

void EpisodeRunner::replace(Policy& policy, Rng rng) {
  policy_ = &policy;
  if (started_) policy.reset(env_.goal_observation(), rng);
}

const Decision& EpisodeRunner::decide() {
  ALPS_CHECK(!done() && started_);
  const Observation seen = env_.observation();
  policy_->act_into(seen, decision_);
  record_.still = still_.add(seen);
  if (record_.steps == 0) record_.first_route = decision_.route;
  record_.clusters.push_back(decision_.cluster);
  record_.goal_cluster = decision_.goal_cluster;
  record_.replanned.push_back(decision_.replanned);
  record_.replans += decision_.replanned;
  record_.no_routes += decision_.no_route;
  record_.decision_ms.push_back(static_cast<float>(decision_.total_ms));
  record_.goal_distances.push_back(static_cast<float>(decision_.goal_distance));
  return decision_;
}

void EpisodeRunner::act() {
  ALPS_CHECK(record_.clusters.size() == static_cast<size_t>(record_.steps) + 1);  // decided, once
  result_ = env_.step(std::vector<double>(decision_.action.begin(), decision_.action.end()));
  ++record_.steps;
  const PlanarView* plane = env_.planar();
  if (plane != nullptr) record_.path.push_back(plane->position());
  if (!result_.done()) return;
  record_.success = result_.success;
  if (plane != nullptr) record_.goal_distance = alps::distance(plane->position(), plane->goal());
  const Maze* maze = maze_of(env_);
  const bool trapped = maze != nullptr && trapped_by_teleport(*maze, record_.path.back(), record_.goal);
  record_.outcome = record_.success ? Outcome::kSuccess : judge(record_, trapped);
}

const Decision& EpisodeRunner::step() {
  decide();
  act();
  return decision_;
}

Decision EpisodeRunner::preview() const { return policy_->clone()->act(env_.observation()); }

EpisodeRecord run_episode(Env& env, Policy& policy, int task, int index, const Rng& rng, const EpisodeWatch& watch) {
  EpisodeRunner runner(env, policy);
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
