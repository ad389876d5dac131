#include "cli/sweep_view.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>

#include "alps/base/error.h"
#include "alps/base/progress.h"
#include "cli/table.h"

namespace alps::cli {
namespace {

using Clock = std::chrono::steady_clock;

// cut to the terminal's width, so that a line stays one line
std::string fitted(std::string line) {
  winsize size{};
  const size_t width = ::ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col - 1 : 119;
  if (line.size() > width) line.resize(width);
  return line;
}

std::string headline(const SweepProgress& p) {
  std::string line = str(p.done, " of ", p.total, " tasks done, ", p.running.size(), " running");
  if (p.failed > 0) line += str(", ", p.failed, " failed");
  if (p.blocked > 0) line += str(", ", p.blocked, " cannot run");
  if (p.seconds_left >= 0 && p.done < p.total) line += ", about " + clock_text(p.seconds_left) + " left";
  return line;
}

std::string minutes_text(double minutes) {
  char text[32];
  std::snprintf(text, sizeof text, minutes < 10 ? "%.1f" : "%.0f", minutes);
  return minutes < 1000 ? text : with_commas(static_cast<size_t>(minutes + 0.5));
}

std::string time_text(double minutes) {
  if (minutes < 90) return minutes_text(minutes) + " minutes";
  return minutes < 48 * 60 ? minutes_text(minutes / 60) + " hours" : minutes_text(minutes / 1440) + " days";
}

class View {
 public:
  explicit View(size_t total) : terminal_(isatty(2)), total_(total) {}
  ~View() { erase(); }

  void progress(const SweepProgress& p) {
    done_ = p.done;
    if (!terminal_ || Clock::now() - painted_ < std::chrono::milliseconds(300)) return;
    painted_ = Clock::now();
    erase();
    std::fprintf(stderr, "%s\n", fitted(headline(p)).c_str());
    for (const auto& task : p.running)
      std::fprintf(stderr, "%s\n",
                   fitted(str("  ", task.key, "  ", clock_text(task.seconds), "  ", task.words)).c_str());
    lines_ = p.running.size() + 1;
  }

  void ended(const Task& task, const AttemptRecord& end) {
    erase();
    done_ += *end.ending == Ending::kDone;
    const char* word = *end.ending == Ending::kDone ? "done" : *end.ending == Ending::kFailed ? "FAILED" : "stopped";
    std::fprintf(stderr, "[%zu/%zu] %s: %s in %s%s%s\n", done_, total_, task.key.c_str(), word,
                 clock_text(end.seconds).c_str(), end.reason.empty() ? "" : ": ", end.reason.c_str());
  }

 private:
  void erase() {
    for (; lines_ > 0; --lines_) std::fprintf(stderr, "\033[1A\033[2K");
  }

  const bool terminal_;
  const size_t total_;
  size_t lines_ = 0, done_ = 0;
  Clock::time_point painted_{};
};

}  // namespace

void run_local_sweep(const std::vector<Task>& tasks, const LabPaths& paths, const EngineSettings& engine,
                     const LocalSettings& settings) {
  SweepOutcome outcome;
  std::vector<std::string> logs;
  {
    View view(tasks.size());
    outcome = run_local(tasks, paths, engine, settings,
                        {.progress = [&](const SweepProgress& p) { view.progress(p); },
                         .ended =
                             [&](const Task& task, const AttemptRecord& end) {
                               view.ended(task, end);
                               if (*end.ending == Ending::kFailed)
                                 logs.push_back((paths.tasks() / task.key / "log").string());
                             }});
  }
  std::printf("%zu of %zu tasks done\n", outcome.done, tasks.size());
  if (outcome.failed == 0) return;
  std::string told;
  for (const std::string& log : logs) told += "\n  " + log;
  throw Error(outcome.failed, " tasks failed",
              outcome.blocked > 0 ? str(", ", outcome.blocked, " that need them were not begun") : "",
              "; their logs:", told, "\nthe same command tries them again");
}

void print_counts(const std::vector<Task>& tasks, const LabPaths& paths, const EngineSettings& engine) {
  constexpr std::array kKinds = {TaskKind::kData, TaskKind::kTrain, TaskKind::kEval, TaskKind::kReport};
  constexpr std::array kStates = {TaskStatus::kDone, TaskStatus::kRunning, TaskStatus::kStopped, TaskStatus::kFailed,
                                  TaskStatus::kWaiting};
  Table table({"task", ">tasks", ">done", ">running", ">stopped", ">failed", ">waiting"});
  for (const TaskKind kind : kKinds) {
    size_t total = 0;
    std::array<size_t, kStates.size()> counts{};
    for (const Task& task : tasks) {
      if (task.kind != kind) continue;
      ++total;
      const TaskStatus status = TaskFolder(paths.tasks() / task.key, engine).state(task).status;
      for (size_t i = 0; i < kStates.size(); ++i) counts[i] += status == kStates[i];
    }
    if (total == 0) continue;
    std::vector<std::string> row = {task_kind_name(kind), str(total)};
    for (const size_t n : counts) row.push_back(str(n));
    table.add(row);
  }
  table.print();
}

void print_submission(const SlurmSubmission& sent) {
  std::printf("%zu tasks in %zu arrays sent to Slurm, %zu were done, %zu are in its queue already\n", sent.tasks,
              sent.arrays, sent.done, sent.queued);
}

void print_cost(const Sweep& sweep, const CostTable& cost) {
  Table table({"what", ">tasks", ">core-minutes", "measured or estimated"});
  for (const CostLine& line : cost.lines)
    table.add({line.kind, with_commas(line.tasks), minutes_text(line.core_minutes),
               line.estimated == 0            ? "measured"
               : line.estimated == line.tasks ? "estimated"
                                              : str("estimated for ", line.estimated, " of ", line.tasks)});
  table.add({"all", with_commas(cost.tasks()), minutes_text(cost.core_minutes()), ""});
  table.print();
  if (cost.done > 0) std::printf("%s tasks were done before and cost nothing\n", with_commas(cost.done).c_str());
  if (cost.tasks() > 0)
    std::printf("about %s on 2 cores, %s on 64\n", time_text(cost.core_minutes() / 2).c_str(),
                time_text(cost.core_minutes() / 64).c_str());
  for (const LeftOut& left : sweep.left_out) std::printf("left out: %s %s\n", left.data.c_str(), left.reason.c_str());
}

}  // namespace alps::cli
