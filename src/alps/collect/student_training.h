// Trains the humanoid's expert: a student that sees only what OGBench's humanoid observes, where nothing tells which
// way the body faces, learns to do what its teachers do who see it (teacher_training.h). DAgger (Ross et al. 2011): the
// student walks, the teacher whose turn it is says at every step what it would have done, and the student learns from
// all of these. Velocities and direction are turned so that the direction is the x axis, which loses nothing: the world
// has no north.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "alps/collect/ppo.h"
#include "alps/world/heading_env.h"

namespace alps {

struct StudentTrainingParams {
  std::vector<size_t> hidden = {512, 256, 128};
  HeadingTask task = {.speed = 1.5, .drops = 0.6, .falls_end = false, .longest = 300, .push = 0.3, .torque_noise = 0.2};
  size_t bodies = 240;
  size_t horizon = 16;              // steps of each body between two rounds of learning
  int64_t steps = 6'000'000;        // of all bodies together
  int64_t teacher_steps = 200'000;  // on the way to these ever fewer bodies are moved by the teacher
  size_t memory = 500'000;          // latest steps that are learnt from
  size_t minibatch = 960;
  int updates = 12;                  // of a round
  double lr = 1e-3, lr_last = 1e-4;  // falls from the first to the second
  int64_t checkpoint_every = 100;    // rounds
  int64_t curve_every = 25;          // rounds between two lines of the curve
  std::filesystem::path from;        // a student to begin with, instead of random weights; it moves all bodies itself
  uint64_t seed = 0;
  int threads = 0;
};

// a line of the curve, over the rounds since the last one
struct StudentProgress {
  int64_t step = 0, total = 0;
  double loss = 0;   // mean square of what the targets of the joints are off
  double speed = 0;  // along the direction, metres a second, of bodies that are up and that the student moves
  double falls = 0;  // in 1,000 of their steps
  double up = 0;     // share of the student's steps
  double risen = 0;  // share of its drops and falls after which it got up
  double seconds = 0;
};

// what the student is shown: an observation without x and y and with the direction behind it -> the same in the
// direction's frame, without the direction, which is (1, 0) there
void turn_to_direction(std::span<const float> seen, std::span<float> out);

// files of both teachers, and what leads the second one
struct Teachers {
  std::filesystem::path walker, riser;
  std::shared_ptr<const GetUps> ways;
};

// Learns from the teachers and writes `path` (safetensors: policy.*), PATH.csv and, until it is
// done, PATH.checkpoint, from which --resume goes on exactly.
void train_student(const std::filesystem::path& path, const Teachers& teachers, const StudentTrainingParams& params,
                   bool resume, const std::function<void(const StudentProgress&)>& progress);

}  // namespace alps
