// What happened to a task, as its folder tells it: LAB/tasks/KEY. The folder is the truth. There is no server and no
// database; several machines may work on one lab over a network file system.
//
//   task.json       the command, and what must be done before
//   1.begin.json    the first attempt: who works on it, on which machine. Created exclusively (link), so two machines
//                   never begin the same attempt. Its time of change is a sign of life, renewed by its owner.
//   1.end.json      how it ended: done, failed, or stopped (told to stop, or preempted; it will go on)
//   2.begin.json    the next attempt. It begins when the last one ended, or when its owner is dead. An owner that sees
//                   a later attempt than its own stops its work.
//   log             what the attempts printed
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "alps/lab/tasks.h"

namespace alps {

enum class Ending { kDone, kFailed, kStopped };

// who makes an attempt
struct Owner {
  std::string host, boot;  // boot: tells machines and containers of one name apart
  int pid = 0;
  std::string job;  // of Slurm, "" without; a job that is put back into the queue keeps it
  int restart = 0;  // how often Slurm began the job again
};
Owner this_process();

struct AttemptRecord {
  int number = 0;
  Owner owner;
  double silent = 0;  // seconds since its last sign of life, by the clock of the file system
  std::optional<Ending> ending;
  int exit_code = 0;                     // 128 + the signal's number for a process that was killed
  double seconds = 0, core_seconds = 0;  // by the clock, and of all its threads
  long peak_mb = 0;
  std::string reason;  // of a failure: the last line that it printed
};

enum class TaskStatus { kWaiting, kRunning, kDone, kFailed, kStopped };
const char* task_status_name(TaskStatus status);  // "waiting", ...

struct TaskState {
  TaskStatus status = TaskStatus::kWaiting;
  std::vector<AttemptRecord> attempts;
};

// One task's folder.
class TaskFolder {
 public:
  TaskFolder(std::filesystem::path folder, EngineSettings engine)
      : folder_(std::move(folder)), engine_(std::move(engine)) {}

  void write(const Task& task) const;  // task.json, unless it is there
  Task read() const;

  TaskState state(const Task& task = {}) const;
  // Begins an attempt after those that were found. Nothing if the last one is alive, or somebody else was quicker.
  std::optional<AttemptRecord> claim(const TaskState& found) const;
  void sign_of_life(const AttemptRecord& mine) const;
  bool overtaken(const AttemptRecord& mine) const;  // a later attempt has begun
  void end(const AttemptRecord& mine) const;

  // whether the owner of an attempt without an end cannot be at work any more
  bool dead(const AttemptRecord& attempt) const;

  std::filesystem::path log() const { return folder_ / "log"; }
  const std::filesystem::path& path() const { return folder_; }
  const EngineSettings& engine() const { return engine_; }

 private:
  std::filesystem::path file(int number, const char* what) const;
  std::filesystem::path folder_;
  EngineSettings engine_;
};

// of a task whose sweep file is not at hand (on a node of a cluster)
EngineSettings engine_of_task(const std::filesystem::path& folder);

}  // namespace alps
