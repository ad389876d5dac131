// What an environment offers whose agent moves on a plane: maps, places and distances for pictures, pages, data makers
// and the census of failures. PlanarView only looks; PlacementView, which fewer environments have, also puts the agent
// and the goal somewhere.
#pragma once

#include <span>

#include "alps/base/geometry.h"
#include "alps/base/rng.h"
#include "alps/world/env.h"

namespace alps {

class Maze;

struct PlanarTask {
  Point2 start, goal;  // before noise
};

class PlanarView {
 public:
  virtual Floorplan floorplan() const = 0;
  virtual Point2 position() const = 0;
  virtual Point2 goal() const = 0;
  virtual double goal_tolerance() const = 0;              // success within this distance of the goal
  virtual std::span<const PlanarTask> tasks() const = 0;  // of the evaluation, in order; empty: random pairs
  virtual const Maze* maze() const { return nullptr; }    // the grid of cells, where there is one

 protected:
  ~PlanarView() = default;  // views belong to their environment
};

class PlacementView {
 public:
  // an explicit start and goal, taken exactly; posture and velocity are drawn as in any reset
  virtual void reset(Point2 start, Point2 goal, Rng rng) = 0;
  virtual void set_goal(Point2 goal) = 0;  // moves the goal, not the goal observation

 protected:
  ~PlacementView() = default;
};

// the grid of cells of an environment; null where there is none
inline const Maze* maze_of(const Env& env) { return env.planar() != nullptr ? env.planar()->maze() : nullptr; }

}  // namespace alps
