// The simulations of one body in one maze. A body that stays in a cell can only touch the walls of the nine cells
// around it, so it is simulated among those alone: every contact is the same and in the same order, and a step of the
// ant takes two thirds of the time. Models are compiled when first needed and shared by all clones of an environment.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "alps/world/sim.h"

namespace alps {

struct Sim {
  ModelPtr model;
  DataPtr data;
};

class MazeSims {
 public:
  MazeSims(const std::string& body, const Maze& maze, bool near_walls_only);
  MazeSims(const MazeSims& other);  // the same models, other states

  const mjModel& model() const { return *sim_->model; }
  const ModelPtr& all_walls() const { return sims_.at(kAllWalls).model; }
  mjData& data() { return *sim_->data; }
  const mjData& data() const { return *sim_->data; }

  // Goes on in the simulation of the cell where the body is now. What follows from positions and velocities is computed
  // anew; the warm start and the clock come along.
  void follow();

 private:
  struct Models {
    std::string body;
    const Maze& maze;
    std::mutex mutex;
    std::map<int, ModelPtr> by_cell;
    ModelPtr of(Cell cell);
  };
  static constexpr int kAllWalls = -1;
  std::shared_ptr<Models> models_;
  bool near_walls_only_;
  std::map<int, Sim> sims_;  // by cell; -1: all walls
  Sim* sim_;
  int cell_ = -1;
};

}  // namespace alps
