// One attempt at a task: the program in a process of its own, watched. Its words go to the task's log. While it runs,
// its owner gives signs of life; told to stop, or overtaken by a later attempt (task_state.h), it lets the process save
// its work and ends it.
#pragma once

#include <chrono>
#include <memory>

#include "alps/lab/task_state.h"

namespace alps {

class Attempt {
 public:
  // Starts it; null where somebody else works on the task, or has done it.
  static std::unique_ptr<Attempt> begin(const Task& task, const TaskFolder& folder);
  ~Attempt();  // stops a process that still runs
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  // Call it a few times a second. Nothing while it runs; then its end, which is on disk.
  std::optional<AttemptRecord> poll();
  void stop();  // asks the process to save its work and to end

  const Task& task() const { return task_; }
  double seconds() const;
  std::string last_words() const;  // the last line of its log, for people

 private:
  Attempt(Task task, TaskFolder folder, AttemptRecord mine);
  void start();
  void watch();
  bool killed_by_chance() const;

  const Task task_;
  const TaskFolder folder_;
  AttemptRecord mine_;
  int child_ = 0;
  bool stopping_ = false, overtaken_ = false;
  std::chrono::steady_clock::time_point start_, beat_, stop_;
};

// The whole of a task in this process, for a node of a cluster: waits where an earlier attempt is still about to end.
// Throws Interrupted where it was told to stop before it was done, and Error where the task failed.
void run_task(const std::filesystem::path& lab, const std::string& key);

// the last line of a file that is not empty; of a line that a progress bar wrote over, the last state
std::string last_line(const std::filesystem::path& file);

}  // namespace alps
