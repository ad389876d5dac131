// Trains a teacher of the humanoid: PPO (ppo.h) with many bodies at once in the heading's frame (world/heading_env.h).
// The walker's episodes begin in strides and standing, and end with a fall; the riser's begin where drops came to lie
// and half way up, and end on its feet or off its way. Short stretches between two updates decide how soon it stands
// (docs/experiments.md). A checkpoint beside the target holds networks and bodies, between two iterations.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "alps/collect/ppo.h"
#include "alps/world/heading_env.h"

namespace alps {

struct TeacherTrainingParams {
  PpoParams ppo;
  HeadingTask task = {.push = 0.3};
  size_t bodies = 240;
  size_t horizon = 8;                  // steps of each body between two updates
  int64_t steps = 30'000'000;          // of all bodies together
  double first_spread = 0.6;           // directions are this far from the heading at most, at first
  int64_t spread_steps = 7'000'000;    // until they are as far as the task says
  std::shared_ptr<const GetUps> ways;  // that lead the riser
  int64_t checkpoint_every = 200;      // iterations
  int64_t curve_every = 80;            // iterations between two lines of the curve
  std::filesystem::path from;          // networks of another training's checkpoint to begin with
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
  double half_way = 0, lying = 0;      // share of the episodes begun half way up, or lying, that ended on their feet
  double rise_steps = 0;               // of the latter
  PpoStats ppo;                        // means
  double seconds = 0, simulating = 0;  // all so far, and the share of acting in it
};

// writes `path` (safetensors: teacher.*), PATH.csv and PATH.checkpoint, all three now and then on the way; throws if
// there is a checkpoint and no `resume`
void train_teacher(const std::filesystem::path& path, const TeacherTrainingParams& params, bool resume,
                   const std::function<void(const TeacherProgress&)>& progress);

}  // namespace alps
