// Trains the expert of a body: SAC on walking along a commanded direction, one update a step. Every other episode
// happens between the walls of a maze, where experts that only know the plane are tipped over. A checkpoint beside the
// target (networks and replay, between two episodes) lets a killed training go on exactly; the curve is a CSV beside
// it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "alps/collect/recipe.h"
#include "alps/collect/sac.h"

namespace alps {

struct ExpertTrainingParams {
  SacParams sac;
  int64_t steps = 400'000;
  int64_t random_steps = 5'000;        // uniform actions first, without updates
  int interval = 100;                  // steps between two directions on the plane
  double walls = 0.5;                  // share of the episodes in `maze`
  std::string maze = training_maze();  // an environment with walls (collect/recipe.h)
  int64_t checkpoint_every = 20'000;   // steps, and then at the end of an episode
  int64_t curve_every = 5'000;         // steps between two lines of the curve
  uint64_t seed = 0;
  int threads = 0;
};

// a line of the curve, over the episodes that ended since the last one
struct ExpertProgress {
  int64_t step = 0, total = 0;
  double speed_plane = 0, speed_maze = 0;  // reward of a step, along the direction
  double back_plane = 0, back_maze = 0;    // share of episodes that ended on the back
  SacStats sac;                            // means
  double seconds = 0;
};

// writes `path` (safetensors: policy.*), PATH.csv and, until it is done, PATH.checkpoint; throws if there is a
// checkpoint and no `resume`
void train_expert(const std::filesystem::path& path, const ExpertTrainingParams& params, bool resume,
                  const std::function<void(const ExpertProgress&)>& progress);

}  // namespace alps
