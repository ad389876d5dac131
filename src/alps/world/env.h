// An environment as offline goal-conditioned planning meets it: reset to a start and a goal, step with an action, see
// an observation, and be told whether the goal is reached. Behaves step by step as the OGBench environment of the same
// name. One object is one world for one thread; `clone()` makes more of them that share the immutable model.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "alps/base/array.h"
#include "alps/base/geometry.h"
#include "alps/base/rng.h"

namespace alps {

class Maze;

struct EnvTask {
  Point2 start, goal;  // before noise
};

struct EnvSpec {
  std::string name;         // "antmaze-large-v0"
  Shape observation_shape;  // (29) or, for images, (100, 100, 1)
  bool image = false;       // observations are pixels, 0 .. 255
  int action_size = 0;
  double action_limit = 1.0;  // actions lie in [-limit, limit]
  int qpos_size = 0, qvel_size = 0;
  int max_episode_steps = 0;    // truncated then
  double goal_tolerance = 0.0;  // success within this distance of the goal
  std::vector<EnvTask> tasks;   // the evaluation's start-goal pairs; empty: random pairs
  size_t observation_size() const { return element_count(observation_shape); }
  int num_tasks() const { return tasks.empty() ? 1 : static_cast<int>(tasks.size()); }
};

struct StepResult {
  bool success = false;     // the goal is within tolerance after this step
  bool terminated = false;  // the episode ended by success
  bool truncated = false;   // the episode ended by its length
  bool done() const { return terminated || truncated; }
};

struct EnvOptions {
  bool terminate_at_goal = true;
  int max_episode_steps = 0;  // 0: the spec's
};

// a solid of the agent's body as it stands now, for those who draw it
struct BodyPart {
  enum class Shape { kSphere, kCapsule, kEllipsoid, kCylinder, kBox };
  Shape shape = Shape::kSphere;
  std::array<double, 3> center{};
  std::array<double, 9> axes{};  // rows of the rotation from the solid's frame to the world's; its long axis is z
  std::array<double, 3> size{};  // radius; radius, half length; half extents
  std::array<float, 3> color{};  // sRGB, 0 .. 1
};

class Env {
 public:
  virtual ~Env() = default;
  virtual std::unique_ptr<Env> clone() const = 0;  // same world and options, to be reset before use
  virtual const EnvSpec& spec() const = 0;
  virtual Floorplan floorplan() const = 0;
  virtual const Maze* maze() const { return nullptr; }  // the grid of cells, where there is one

  // The start and goal of task 1 .. num_tasks with OGBench's noise. The environment keeps `rng` for what it draws
  // later.
  virtual void reset(int task, Rng rng) = 0;
  // An explicit start and goal, taken exactly; posture and velocity are drawn as in any reset.
  virtual void reset(Point2 start, Point2 goal, Rng rng) = 0;
  virtual StepResult step(std::span<const double> action) = 0;

  // what the last reset or step returned; a teleported agent sees its new place only after the next step, as in OGBench
  virtual std::span<const double> observation() const = 0;
  virtual std::span<const double> goal_observation() const = 0;
  virtual std::span<const double> qpos() const = 0;
  virtual std::span<const double> qvel() const = 0;
  virtual Point2 position() const = 0;
  virtual Point2 goal() const = 0;
  virtual void set_goal(Point2 goal) = 0;  // moves the goal, not the goal observation

  // everything that the next steps depend on, random numbers aside; set_state of a state() repeats them exactly
  virtual std::vector<double> state() const = 0;
  virtual void set_state(std::span<const double> state) = 0;

  virtual std::vector<BodyPart> body_parts() const { return {}; }  // none: the agent is a mere point
};

}  // namespace alps
