#include "alps/lab/local_engine.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <thread>

#include "alps/base/error.h"
#include "alps/base/interrupt.h"
#include "alps/base/memory.h"
#include "alps/base/threads.h"

namespace alps {
namespace {

using Clock = std::chrono::steady_clock;

enum class Mark { kWaiting, kRunning, kDone, kFailed, kBlocked };

class Engine {
 public:
  Engine(const std::vector<Task>& tasks, const LabPaths& paths, const EngineSettings& engine,
         const LocalSettings& settings, const LocalEvents& events)
      : tasks_(tasks),
        paths_(paths),
        engine_(engine),
        events_(events),
        marks_(tasks.size(), Mark::kWaiting),
        not_before_(tasks.size()) {
    cores_ = settings.cores > 0 ? settings.cores : default_threads();
    memory_ = settings.memory_mb > 0 ? settings.memory_mb
                                     : static_cast<int>(0.9 * static_cast<double>(usable_memory()) / 1e6);
    for (size_t i = 0; i < tasks.size(); ++i) index_[tasks[i].key] = i;
  }

  SweepOutcome run();

 private:
  TaskFolder folder(const Task& task) const { return {paths_.tasks() / task.key, engine_}; }
  Mark mark_of(const std::string& key) const { return marks_[index_.at(key)]; }
  size_t count(Mark mark) const { return static_cast<size_t>(std::ranges::count(marks_, mark)); }
  void look();
  void block();
  void start_some();
  void collect();
  void finish(const Task& task, const AttemptRecord& end);
  void tell();
  double seconds_left() const;
  void stop_all();

  const std::vector<Task>& tasks_;
  const LabPaths& paths_;
  const EngineSettings& engine_;
  const LocalEvents& events_;
  std::vector<Mark> marks_;
  std::vector<Clock::time_point> not_before_;
  std::map<std::string, size_t> index_;
  std::vector<std::unique_ptr<Attempt>> running_;
  int cores_, memory_;
  std::array<double, 4> seconds_{}, units_{};  // of the finished tasks, by kind
};

// what was done before; tasks come after those that they need
void Engine::look() {
  for (size_t i = 0; i < tasks_.size(); ++i) {
    const TaskFolder at = folder(tasks_[i]);
    at.write(tasks_[i]);
    if (at.state(tasks_[i]).status == TaskStatus::kDone) marks_[i] = Mark::kDone;
  }
}

void Engine::block() {
  for (size_t i = 0; i < tasks_.size(); ++i)
    if (marks_[i] == Mark::kWaiting && std::ranges::any_of(tasks_[i].needs, [&](const std::string& need) {
          return mark_of(need) == Mark::kFailed || mark_of(need) == Mark::kBlocked;
        }))
      marks_[i] = Mark::kBlocked;
}

void Engine::start_some() {
  int cores = cores_, memory = memory_;
  for (const auto& attempt : running_) {
    cores -= attempt->task().cores;
    memory -= attempt->task().memory_mb;
  }
  std::vector<size_t> ready;
  const Clock::time_point now = Clock::now();
  for (size_t i = 0; i < tasks_.size(); ++i)
    if (marks_[i] == Mark::kWaiting && not_before_[i] <= now &&
        std::ranges::all_of(tasks_[i].needs, [&](const std::string& need) { return mark_of(need) == Mark::kDone; }))
      ready.push_back(i);
  // the last steps first, else in the order of the file
  std::ranges::stable_sort(ready, std::greater(), [&](size_t i) { return static_cast<int>(tasks_[i].kind); });
  for (const size_t i : ready) {
    const Task& task = tasks_[i];
    // a task that asks for more than there is runs alone
    const bool fits = task.cores <= cores && task.memory_mb <= memory;
    if (!fits && !running_.empty()) continue;
    auto attempt = Attempt::begin(task, folder(task));
    if (!attempt) {  // somebody else works on it, or has done it; look again in a while
      if (folder(task).state(task).status == TaskStatus::kDone) marks_[i] = Mark::kDone;
      not_before_[i] =
          Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(engine_.heartbeat));
      continue;
    }
    marks_[i] = Mark::kRunning;
    cores -= task.cores;
    memory -= task.memory_mb;
    running_.push_back(std::move(attempt));
  }
}

void Engine::finish(const Task& task, const AttemptRecord& end) {
  Mark& mark = marks_[index_.at(task.key)];
  switch (*end.ending) {
    case Ending::kDone: mark = Mark::kDone; break;
    case Ending::kFailed: mark = Mark::kFailed; break;
    case Ending::kStopped: mark = Mark::kWaiting; break;  // killed from outside: once more
  }
  if (*end.ending == Ending::kDone) {
    const size_t kind = static_cast<size_t>(task.kind);
    seconds_[kind] += end.seconds;
    units_[kind] += static_cast<double>(std::max<int64_t>(1, task.units));
  }
  if (events_.ended) events_.ended(task, end);
}

void Engine::collect() {
  for (auto& attempt : running_)
    if (const auto end = attempt->poll()) {
      finish(attempt->task(), *end);
      attempt.reset();
    }
  std::erase(running_, nullptr);
}

// unknown while a kind of task is left of which none is finished
double Engine::seconds_left() const {
  double total = 0;
  for (size_t i = 0; i < tasks_.size(); ++i) {
    if (marks_[i] != Mark::kWaiting && marks_[i] != Mark::kRunning) continue;
    const size_t kind = static_cast<size_t>(tasks_[i].kind);
    if (units_[kind] == 0) return -1;
    total += seconds_[kind] / units_[kind] * static_cast<double>(std::max<int64_t>(1, tasks_[i].units));
  }
  for (const auto& attempt : running_) total -= attempt->seconds();
  return std::max(0.0, total) / std::max<double>(1, static_cast<double>(running_.size()));
}

void Engine::tell() {
  if (!events_.progress) return;
  SweepProgress p{.done = count(Mark::kDone),
                  .total = tasks_.size(),
                  .failed = count(Mark::kFailed),
                  .blocked = count(Mark::kBlocked),
                  .running = {},
                  .seconds_left = seconds_left()};
  for (const auto& attempt : running_)
    p.running.push_back({attempt->task().key, attempt->last_words(), attempt->seconds()});
  events_.progress(p);
}

void Engine::stop_all() {
  for (const auto& attempt : running_) attempt->stop();
  while (!running_.empty()) {
    collect();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

SweepOutcome Engine::run() {
  look();
  while (true) {
    collect();
    if (interrupted()) {
      tell();
      stop_all();
      throw Interrupted("interrupted; the same command goes on");
    }
    block();
    start_some();
    tell();
    if (running_.empty() && count(Mark::kWaiting) == 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return {.done = count(Mark::kDone), .failed = count(Mark::kFailed), .blocked = count(Mark::kBlocked)};
}

}  // namespace

SweepOutcome run_local(const std::vector<Task>& tasks, const LabPaths& paths, const EngineSettings& engine,
                       const LocalSettings& settings, const LocalEvents& events) {
  return Engine(tasks, paths, engine, settings, events).run();
}

}  // namespace alps
