#include "alps/world/maze_sims.h"

#include <vector>

namespace alps {

ModelPtr MazeSims::Models::of(Cell cell) {
  const std::lock_guard lock(mutex);
  ModelPtr& model = by_cell[cell.i * maze.width() + cell.j];
  if (!model) model = load_maze_model(body, maze, cell);
  return model;
}

MazeSims::MazeSims(const std::string& body, const Maze& maze, bool near_walls_only)
    : models_(new Models{.body = body, .maze = maze, .mutex = {}, .by_cell = {}}), near_walls_only_(near_walls_only) {
  const ModelPtr all = load_maze_model(body, maze);
  sim_ = &sims_[kAllWalls];
  *sim_ = {all, make_data(all)};
}

MazeSims::MazeSims(const MazeSims& other) : models_(other.models_), near_walls_only_(other.near_walls_only_) {
  const ModelPtr& all = other.sims_.at(kAllWalls).model;
  sim_ = &sims_[kAllWalls];
  *sim_ = {all, make_data(all)};
}

void MazeSims::follow() {
  if (!near_walls_only_) return;
  const Maze& maze = models_->maze;
  const Cell at = maze.cell({data().qpos[0], data().qpos[1]});
  const int cell = at.i * maze.width() + at.j;
  if (cell == cell_ || !maze.free(at)) return;

  Sim& next = sims_[cell];
  if (!next.data) {
    next.model = models_->of(at);
    next.data = make_data(next.model);
  }
  std::vector<double> state(mj_stateSize(&model(), mjSTATE_INTEGRATION));
  mj_getState(&model(), &data(), state.data(), mjSTATE_INTEGRATION);
  mj_setState(next.model.get(), next.data.get(), state.data(), mjSTATE_INTEGRATION);
  mj_step1(next.model.get(), next.data.get());
  sim_ = &next;
  cell_ = cell;
}

}  // namespace alps
