// A sweep: many runs and their evaluations, named in one TOML file. Every list in it is an axis, and a block stands for
// the product of its axes:
//
//   [[runs]]
//   data = ["antmaze-medium-navigate-v0", "antmaze-large-navigate-v0"]
//   seeds = [0, 1, 2]                          # or seeds = 3
//   set = { eigenvectors = [16, 32] }          # settings of training
//   [[runs.eval]]
//   variant = ["alps", "dijkstra+prior"]
//   episodes = 10                              # of each task
//
// makes 12 runs and 24 evaluations. lab/tasks.h turns them into tasks. docs/lab.md lists all keys.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace alps {

// one evaluation of a run, with nothing left open
struct EvalSpec {
  std::string variant, planner;  // empty for methods that do not plan
  int episodes = 10;             // of each task
  std::vector<int> tasks;        // empty: all
  int clusters = 0;              // 0: the run's own regions
  std::vector<std::string> set;  // key=value of the planner
  std::string backend = "native";
  uint64_t seed = 0;
  int threads = 1;
};

// one training
struct RunSpec {
  std::string data;  // a name of alps data list
  uint64_t data_seed = 0;
  int data_episodes = 0;  // 0: the full size
  int data_parts = 1;     // tasks that share the making of it
  std::string method = "alps", preset = "fast";
  uint64_t seed = 0;
  std::vector<std::string> set;  // key=value of training, in alphabetical order
  int threads = 1;
  bool report = false;  // write the run's report when it is evaluated
  std::vector<EvalSpec> evals;
};

// How tasks are run; everything here has a default and is of no weight for what comes out.
struct EngineSettings {
  double heartbeat = 5;                     // seconds between two signs of life of a task
  double stale = 120;                       // seconds without one after which a task counts as dead
  double grace = 60;                        // seconds that a task has to save its work when it must stop
  int memory_mb = 0;                        // of a task; 0: estimated from the data
  std::string time = "4:00:00";             // Slurm: limit of a task, after which it is put back into the queue
  std::vector<std::string> sbatch_options;  // Slurm: --partition=..., --account=...
};

struct LeftOut {
  std::string data, reason;
};

struct Sweep {
  std::string name;  // of the file, without .toml
  std::filesystem::path file;
  std::vector<RunSpec> runs;      // without repetitions, in the order of the file
  std::vector<LeftOut> left_out;  // data sets that cannot be made here, where the caller allowed it
  EngineSettings engine;
};

// what a command line changes in a file
struct SweepOverrides {
  std::optional<int> seeds, episodes;  // seeds 0 .. N-1
  std::string preset;
  std::vector<int64_t> steps;      // training steps of every part, an axis
  std::filesystem::path data_dir;  // where data sets lie already; empty: OGBench's folder
  bool leave_out_missing = false;  // data sets that cannot be made here go to left_out instead of an error
};

// Error that names file, line, key and remedy for anything that could not be run: unknown keys, names, settings,
// values. Tables at the top other than `runs` and `engine` are left to others (lab/reproduce.h).
Sweep load_sweep(const std::filesystem::path& file, const SweepOverrides& overrides = {});

}  // namespace alps
