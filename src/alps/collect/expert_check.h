// How well an expert walks: along random directions on the plane, and to random cells of a maze, with the noise that
// data making adds to its actions.
#pragma once

#include <string>

#include "alps/base/progress.h"
#include "alps/collect/expert.h"

namespace alps {

struct ExpertCheckOptions {
  int episodes = 100;
  double noise = 0.2;  // deviation of the Gaussian noise on the actions
  uint64_t seed = 0;
  int threads = 0;
};

struct ExpertFigures {
  std::string where;  // "plane", or the maze's environment
  int episodes = 0;
  int reached = 0;   // got to their goal within the episode's length (mazes)
  double steps = 0;  // mean, of those
  double speed = 0;  // along the commanded direction, a step
  int on_back = 0;   // lay on their back at the end
  int fell = 0;      // left the heights of a healthy ant (plane), which ends the episode
};

// 1,000 steps an episode, a new direction every 100
ExpertFigures check_on_plane(const Expert& expert, const ExpertCheckOptions& options, const ProgressFn& progress = {});
// from a random free cell to the centre of a random vertex cell, within 1,000 steps
ExpertFigures check_in_maze(const Expert& expert, const std::string& env, const ExpertCheckOptions& options,
                            const ProgressFn& progress = {});

}  // namespace alps
