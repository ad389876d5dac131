#include "alps/eval/episode_runner.h"

#include <cmath>

#include "alps/world/maze.h"

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

// environments give numbers; those of an image are pixels
ObservationCopy observed(const Env& env, std::span<const double> values) {
  if (env.spec().image) return Observation(std::vector<uint8_t>(values.begin(), values.end()));
  return Observation(std::vector<float>(values.begin(), values.end()));
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

ObservationCopy EpisodeRunner::observation() const { return observed(env_, env_.observation()); }
ObservationCopy EpisodeRunner::goal_observation() const { return observed(env_, env_.goal_observation()); }

void EpisodeRunner::start(int task, int index, const Rng& rng) {
  env_.reset(task, rng.fork(0));
  begin(task, index, rng);
}

void EpisodeRunner::start(Point2 start, Point2 goal, const Rng& rng) {
  env_.reset(start, goal, rng.fork(0));
  begin(0, 0, rng);
}

void EpisodeRunner::begin(int task, int index, const Rng& rng) {
  const ObservationCopy goal = goal_observation();
  policy_->reset(goal, rng.fork(1));
  record_ = {.task = task, .index = index, .start = env_.position(), .goal = env_.goal(), .path = {env_.position()}};
  decision_ = {};
  result_ = {};
  still_.start(observation(), goal);
}

void EpisodeRunner::replace(Policy& policy, Rng rng) {
  policy_ = &policy;
  if (!record_.path.empty()) policy.reset(goal_observation(), rng);
}

const Decision& EpisodeRunner::decide() {
  ALPS_CHECK(!done() && !record_.path.empty());
  const ObservationCopy seen = observation();
  decision_ = policy_->act(seen);
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
  record_.path.push_back(env_.position());
  if (!result_.done()) return;
  record_.success = result_.success;
  record_.goal_distance = alps::distance(env_.position(), env_.goal());
  const Maze* maze = env_.maze();
  const bool trapped = maze != nullptr && trapped_by_teleport(*maze, record_.path.back(), record_.goal);
  record_.outcome = record_.success ? Outcome::kSuccess : judge(record_, trapped);
}

const Decision& EpisodeRunner::step() {
  decide();
  act();
  return decision_;
}

Decision EpisodeRunner::preview() const { return policy_->clone()->act(observation()); }

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
