// Whatever decides what to do: from a goal and an observation to a Decision. The planner is one (planner.h), an actor
// that was trained to imitate is another. Evaluation, films, the page, Python and OGBench's loop know this class and no
// other; what they show of a decision is what its trace holds.
//
// A policy belongs to one thread at a time and remembers its episode: `reset` begins an episode, `act` goes on with it.
// For other threads, or to look ahead without changing it, take a `clone()`, which shares networks and graph.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "alps/base/action_range.h"
#include "alps/base/array.h"
#include "alps/base/observation.h"
#include "alps/base/rng.h"
#include "alps/plan/decision.h"

namespace alps {

struct ClusterGraph;

// what goes in and what comes out
struct PolicySpec {
  Shape observation_shape;  // (29) or, for images, (64, 64, 3)
  bool image = false;       // observations are bytes
  ActionRange actions;      // actions lie within middle +- limit
  size_t observation_size() const { return element_count(observation_shape); }
  size_t action_size() const { return actions.size(); }
};

struct Bundle;
PolicySpec spec_of(const Bundle& bundle);

class Policy {
 public:
  virtual ~Policy() = default;

  // A new episode towards a goal, which is an observation. The same goal, seed and observations give the same
  // decisions.
  virtual void reset(Observation goal, Rng rng) = 0;
  virtual Decision act(Observation observation) = 0;
  // the same into a decision of before, whose memory is used again; after an error it is as before
  virtual void act_into(Observation observation, Decision& decision) { decision = act(observation); }
  virtual std::unique_ptr<Policy> clone() const = 0;  // with the same episode: decides as this policy would
  virtual const PolicySpec& spec() const = 0;

  virtual const ClusterGraph* regions() const { return nullptr; }  // the graph that routes are found over; null: none
};

using MakePolicy = std::function<std::unique_ptr<Policy>()>;

// Error where an observation is not one that `spec` describes, or holds a number that is not finite
void check_observation(const PolicySpec& spec, const Observation& observation);

}  // namespace alps
