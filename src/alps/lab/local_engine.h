// Runs the tasks of a sweep on this machine, as many at once as cores and memory allow. The tasks that are nearest to a
// result go first. Interrupted, it lets the running tasks save their work; the same sweep goes on later.
#pragma once

#include <functional>

#include "alps/lab/attempt.h"

namespace alps {

struct LocalSettings {
  int cores = 0;      // 0: all that this process may use
  int memory_mb = 0;  // 0: nine tenths of the memory that this process may use
};

// what the engine tells while it works
struct SweepProgress {
  size_t done = 0, total = 0, failed = 0, blocked = 0;  // blocked: needs one that failed
  struct Running {
    std::string key, words;  // the last line that it printed
    double seconds = 0;
  };
  std::vector<Running> running;
  double seconds_left = -1;  // by the tasks that are finished; below 0: unknown
};

struct LocalEvents {
  std::function<void(const SweepProgress&)> progress;  // a few times a second
  std::function<void(const Task&, const AttemptRecord&)> ended;
};

struct SweepOutcome {
  size_t done = 0, failed = 0, blocked = 0;
};

// Tasks that were done before are skipped, tasks that failed before are tried again. Throws Interrupted on Ctrl-C.
SweepOutcome run_local(const std::vector<Task>& tasks, const LabPaths& paths, const EngineSettings& engine,
                       const LocalSettings& settings, const LocalEvents& events);

}  // namespace alps
