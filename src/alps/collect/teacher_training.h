// Trains a teacher of the humanoid: PPO (ppo.h) with many bodies at once in the heading's frame (world/heading_env.h).
// At first it walks only, from strides and from standing. Then episodes also begin lying and on the way up, and a fall
// is no longer the end: being up is worth so much by then that the way up is learnt from its end backwards. Short
// stretches between two updates and a wide deviation of the actions decide how soon it stands (docs/experiments.md). A
// checkpoint beside the target holds networks and bodies, between two iterations.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "alps/collect/ppo.h"
#include "alps/world/heading_env.h"

namespace alps {

struct TeacherTrainingParams {
  PpoParams ppo;
  HeadingTask task = {.push = 0.3};
  size_t bodies = 240;
  size_t horizon = 8;                 // steps of each body between two updates
  int64_t steps = 30'000'000;         // of all bodies together
  double first_spread = 0.6;          // directions are this far from the heading at most, at first
  int64_t spread_steps = 7'000'000;   // until they are as far as the task says
  int64_t upright_steps = 1'500'000;  // until then no episode begins lying, and a fall is its end
  double first_lowest = 0.6;          // then they begin from here on the way up, ever lower as they succeed
  int64_t checkpoint_every = 200;     // iterations
  int64_t curve_every = 80;           // iterations between two lines of the curve
  std::filesystem::path from;         // networks of another training's checkpoint to begin with
  uint64_t seed = 0;
  int threads = 0;
};

// a line of the curve, over the iterations since the last one
struct TeacherProgress {
  int64_t step = 0, total = 0;
  double command = 0;                  // speed
  double speed = 0;                    // along the direction, metres a second, of bodies that are up
  double reward = 0;                   // of a step
  double falls = 0;                    // in 1,000 steps on its feet
  double up = 0;                       // share of steps
  double lowest = 0, climbed = 0;      // where episodes begin on the way up, and share of those that ended on its feet
  double risen = 0, rise_steps = 0;    // share of the drops that ended on its feet, and the steps it took to get up
  PpoStats ppo;                        // means
  double seconds = 0, simulating = 0;  // all so far, and the share of acting in it
};

// writes `path` (safetensors: teacher.*), PATH.csv and PATH.checkpoint, all three now and then on the way; throws if
// there is a checkpoint and no `resume`
void train_teacher(const std::filesystem::path& path, const TeacherTrainingParams& params, bool resume,
                   const std::function<void(const TeacherProgress&)>& progress);

}  // namespace alps
