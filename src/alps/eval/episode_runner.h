// One episode, step by step: an environment, a policy that acts in it, and the record of what happened. The evaluation
// runs an episode to its end; the page shows it one decision at a time. Environment and policy belong to the caller.
#pragma once

#include <functional>

#include "alps/base/observation.h"
#include "alps/eval/outcomes.h"
#include "alps/plan/policy.h"
#include "alps/world/env.h"

namespace alps {

// Counts the observations in a row that lie near each other: within a twentieth of the distance between the
// observations of start and goal. For policies without regions, this tells an agent that stands still from one that
// moves on.
class StillCount {
 public:
  void start(Observation first, Observation goal);
  int add(Observation next);  // the count so far, `next` included

 private:
  ObservationCopy anchor_;
  double radius_ = 0;
  int count_ = 0;
};

class EpisodeRunner {
 public:
  EpisodeRunner(Env& env, Policy& policy) : env_(env), policy_(&policy) {}

  // a task of the environment, or a start and a goal of one's own where the world has placement; `rng` drives world and
  // policy
  void start(int task, int index, const Rng& rng);
  void start(Point2 start, Point2 goal, const Rng& rng);

  // another policy takes over, in the middle of an episode too
  void replace(Policy& policy, Rng rng);

  // one decision, and one step of the environment by it
  const Decision& decide();
  void act();
  const Decision& step();  // both
  // what the next step will decide; changes nothing
  Decision preview() const;

  bool done() const { return result_.done(); }
  const EpisodeRecord& record() const { return record_; }  // outcome and goal_distance are set when it is done
  const Decision& decision() const { return decision_; }   // the last one
  Env& env() { return env_; }

  // what the environment shows now, as a policy takes it
  Observation observation() const { return env_.observation(); }
  Observation goal_observation() const { return env_.goal_observation(); }

 private:
  void begin(int task, int index, const Rng& rng);

  Env& env_;
  Policy* policy_;
  EpisodeRecord record_;
  Decision decision_;
  StepResult result_;
  StillCount still_;
  bool started_ = false;
};

// Sees every decision before it is acted on, and once more, without one, when the episode is over. Called by the thread
// of the episode; different episodes may call at the same time.
using EpisodeWatch = std::function<void(int task, int index, const Env& env, const Decision* decision)>;

EpisodeRecord run_episode(Env& env, Policy& policy, int task, int index, const Rng& rng,
                          const EpisodeWatch& watch = {});

}  // namespace alps
