// One episode, step by step: an environment and a planner that act on each other, and the record of what happened. The
// evaluation runs it to its end; a page shows it one decision at a time. Owns neither: both belong to whoever watches.
#pragma once

#include "alps/eval/evaluate.h"
#include "alps/plan/planner.h"
#include "alps/world/env.h"

namespace alps {

class EpisodeRunner {
 public:
  EpisodeRunner(Env& env, Planner& planner) : env_(env), planner_(&planner) {}

  // a task of the environment, or a start and a goal of one's own where the world has placement; `rng` drives world and
  // planner
  void start(int task, int index, const Rng& rng);
  void start(Point2 start, Point2 goal, const Rng& rng);

  // another planner takes over, in the middle of an episode too
  void replace(Planner& planner, Rng rng);

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

 private:
  void begin(int task, int index, const Rng& rng);

  Env& env_;
  Planner* planner_;
  EpisodeRecord record_;
  Decision decision_;
  StepResult result_;
  std::vector<bool> replanned_;
  bool started_ = false;
};

EpisodeRecord run_episode(Env& env, Planner& planner, int task, int index, const Rng& rng,
                          const EpisodeWatch& watch = {});

}  // namespace alps
