// The tasks of a sweep: make a data set, train a run, evaluate it, write its report. Each is one command of the
// program, takes up where it was stopped, and does nothing when it was done before. A task's key stands for everything
// that its outcome depends on, so sweeps that share a folder share the tasks that they have in common.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "alps/lab/sweep.h"

namespace alps {

enum class TaskKind { kData, kTrain, kEval, kReport };
const char* task_kind_name(TaskKind kind);  // "data", "train", "eval", "report"

// what shows that a task is done: the record of its attempts, the file that it makes, both, or one of them
enum class Proof { kRecord, kFile, kBoth, kEither };

struct Task {
  std::string key;  // "train-antmaze-medium-navigate-v0-alps-s0-5f0c1d2e": names its folder, LAB/tasks/KEY
  TaskKind kind = TaskKind::kData;
  std::string data;                  // the data set that it is about
  std::vector<std::string> command;  // words after `alps`
  std::vector<std::string> needs;    // keys of tasks that must be done before
  int cores = 1;
  int memory_mb = 1000;
  std::filesystem::path makes;  // a file that proves that it is done
  Proof proof = Proof::kRecord;
  int64_t units = 0;  // rows to make, or episodes to play: what its time is proportional to
};

// Where a sweep keeps its things.
struct LabPaths {
  std::filesystem::path lab;       // the folder; absolute
  std::filesystem::path data_dir;  // of full data sets; empty: OGBench's folder

  std::filesystem::path tasks() const { return lab / "tasks"; }
  std::filesystem::path runs() const { return lab / "runs"; }
  std::filesystem::path ledger() const { return lab / "ledger"; }
};

// In an order in which each task comes after those that it needs.
std::vector<Task> tasks_of(const Sweep& sweep, const LabPaths& paths);

// the run folder of a training: LAB/runs/NAME
std::filesystem::path run_path(const LabPaths& paths, const RunSpec& run);

}  // namespace alps
