// An environment as offline goal-conditioned planning meets it: reset to a task, step with an action, see an
// observation, and be told whether the goal is reached. One object is one world for one thread; `clone()` makes more of
// them that share the immutable model. What only some worlds have is an optional view, asked for by pointer and null
// where there is none: a plane with places (planar_view.h), coordinates of physics (physics_view.h), a body to draw
// (body_view.h), images that follow from numbers (image_view.h).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "alps/base/array.h"
#include "alps/base/observation.h"
#include "alps/base/rng.h"

namespace alps {

class PlanarView;
class PlacementView;
class PhysicsView;
class BodyView;
class ImageView;
class ArmView;
class PlayView;

struct EnvSpec {
  std::string name;         // "antmaze-large-v0"
  Shape observation_shape;  // (29) or, for images, (100, 100, 1)
  bool image = false;       // observations are bytes, 0 .. 255; otherwise float32 numbers
  int action_size = 0;
  double action_limit = 1.0;  // actions lie in [-limit, limit]
  int max_episode_steps = 0;  // truncated then
  int num_tasks = 1;          // of the evaluation; 1 where start and goal are drawn at random
  size_t observation_size() const { return element_count(observation_shape); }
};

struct StepResult {
  bool success = false;     // the goal is reached after this step
  bool terminated = false;  // the episode ended by success
  bool truncated = false;   // the episode ended by its length
  bool done() const { return terminated || truncated; }
};

struct EnvOptions {
  bool terminate_at_goal = true;
  int max_episode_steps = 0;  // 0: the spec's
};

class Env {
 public:
  virtual ~Env() = default;
  virtual std::unique_ptr<Env> clone() const = 0;  // same world and options, to be reset before use
  virtual const EnvSpec& spec() const = 0;

  // The start and goal of task 1 .. num_tasks, with the noise that belongs to the task. The environment keeps `rng` for
  // what it draws later.
  virtual void reset(int task, Rng rng) = 0;
  virtual StepResult step(std::span<const double> action) = 0;

  // What the last reset, step or set_state saw, until the next one. A teleported agent sees its new place only after
  // the next step, as in OGBench.
  virtual Observation observation() const = 0;
  virtual Observation goal_observation() const = 0;

  // everything that the next steps depend on, random numbers aside; set_state of a state() repeats them exactly
  virtual std::vector<double> state() const = 0;
  virtual void set_state(std::span<const double> state) = 0;

  virtual const PlanarView* planar() const { return nullptr; }    // where the agent is on a plane
  virtual PlacementView* placement() { return nullptr; }          // puts agent and goal at places of one's own
  virtual const PhysicsView* physics() const { return nullptr; }  // generalized positions and velocities
  virtual const BodyView* body() const { return nullptr; }        // solids and scene, for those who draw
  virtual ImageView* images() { return nullptr; }                 // its images as a function of numbers
  virtual const ArmView* arm() const { return nullptr; }          // an arm and what it handles
  virtual PlayView* play() { return nullptr; }                    // starts scenes for data of an arm
};

}  // namespace alps
