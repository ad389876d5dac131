// alps sweep: many runs from one file, on this machine or on a Slurm cluster (lab/).
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "alps/base/interrupt.h"
#include "alps/base/progress.h"
#include "alps/base/shell_quoted.h"
#include "alps/lab/published.h"
#include "alps/lab/slurm_engine.h"
#include "cli/sweep_view.h"
#include "cli/table.h"
#include "cli/verbs.h"

namespace fs = std::filesystem;

namespace alps::cli {
namespace {

struct SweepArgs {
  std::string file, out = "runs/lab", data_dir, on = "local";
  bool dry = false, status = false, cancel = false;
  LocalSettings local;
  std::string list;  // on a node of a cluster: keys of tasks, a line each
  int index = 0;     // which line, from 0
};

void print_dry(const std::vector<Task>& tasks, const LabPaths& paths, const EngineSettings& engine) {
  for (const Task& task : tasks) {
    const TaskStatus status = TaskFolder(paths.tasks() / task.key, engine).state(task).status;
    std::printf("%-8s alps %s\n", task_status_name(status), shell_command(task.command).c_str());
  }
  print_counts(tasks, paths, engine);
}

// tasks that did not do, and where to read why
void print_status(const std::vector<Task>& tasks, const LabPaths& paths, const EngineSettings& engine) {
  const std::map<std::string, std::string> queued = slurm_states(tasks, paths);
  for (const Task& task : tasks) {
    const TaskFolder folder(paths.tasks() / task.key, engine);
    const TaskState state = folder.state(task);
    if (state.status == TaskStatus::kRunning)
      std::printf("running  %s: %s\n", task.key.c_str(), last_line(folder.log()).c_str());
    else if (state.status == TaskStatus::kFailed)
      std::printf("failed   %s: %s\n         %s\n", task.key.c_str(), state.attempts.back().reason.c_str(),
                  folder.log().c_str());
    else if (state.status == TaskStatus::kStopped)
      std::printf(
          "stopped  %s: attempt %d, goes on%s\n", task.key.c_str(), state.attempts.back().number,
          queued.contains(task.key) ? (" (Slurm: " + queued.at(task.key) + ")").c_str() : " with the same command");
  }
  print_counts(tasks, paths, engine);
  if (!queued.empty()) std::printf("in Slurm's queue: %zu\n", queued.size());
}

void sweep(const SweepArgs& args) {
  if (!args.list.empty()) return run_listed_task(args.list, args.index);
  if (args.file.empty()) throw UsageError("a sweep needs a FILE.toml; docs/lab.md shows what it holds");
  const Sweep what = load_sweep(args.file, {.data_dir = args.data_dir});
  const LabPaths paths{.lab = fs::absolute(args.out),
                       .data_dir = args.data_dir.empty() ? "" : fs::absolute(args.data_dir)};
  const std::vector<Task> tasks = tasks_of(what, paths);
  if (args.dry) {
    print_dry(tasks, paths, what.engine);
    print_cost(what, cost_of(what, Costs(published_folder() / "costs.csv"), paths));
    return;
  }
  if (args.status) return print_status(tasks, paths, what.engine);
  if (args.cancel) {
    std::printf("%zu jobs cancelled\n", cancel_slurm(tasks, paths));
    return;
  }
  if (args.on == "slurm") {
    const SlurmSubmission sent = submit_slurm(tasks, paths, what.engine, what.name);
    print_submission(sent);
    std::printf("watch them: alps sweep %s --out %s --status\n", shell_quoted(args.file).c_str(),
                shell_quoted(args.out).c_str());
    return;
  }
  run_local_sweep(tasks, paths, what.engine, args.local);
  std::printf("results: %s\n", paths.ledger().c_str());
}

}  // namespace

void add_sweep(CLI::App& app) {
  auto args = std::make_shared<SweepArgs>();
  CLI::App* verb = app.add_subcommand("sweep", "many runs and evaluations from one file, here or on a Slurm cluster");
  verb->add_option("file", args->file, "what to run: data sets, methods, seeds, settings, evaluations (docs/lab.md)")
      ->type_name("FILE.toml");
  verb->add_option("--out", args->out,
                   "folder of runs, logs and results; sweeps that share it share what they have in common")
      ->type_name("LAB")
      ->capture_default_str();
  verb->add_option("--on", args->on, "where to run: local (default), or slurm, by sbatch")
      ->check(CLI::IsMember({"local", "slurm"}));
  verb->add_flag("--dry", args->dry,
                 "list the commands, what is done already and what the rest will cost; run nothing");
  verb->add_flag("--status", args->status, "tell what is done, running, stopped or failed; run nothing");
  verb->add_flag("--cancel", args->cancel, "take this sweep's jobs out of Slurm's queue; what was done stays");
  verb->add_option("--cores", args->local.cores, "cores to use on this machine (default: all)")
      ->check(CLI::Range(1, 1024));
  verb->add_option("--memory_mb", args->local.memory_mb, "memory to use on this machine (default: nine tenths of it)")
      ->check(CLI::Range(1, 100000000));
  verb->add_option("--data_dir", args->data_dir, "folder of the data sets (default ~/.ogbench/data)");
  verb->add_option("--tasks", args->list, "a node's part: a file of tasks")->group("");
  verb->add_option("--index", args->index, "which of them")->group("");
  verb->footer(
      "The same command goes on after Ctrl-C, a crash or a failure: what is done is not done again. A failed task is "
      "tried again.");
  verb->callback([=] { sweep(*args); });
}

}  // namespace alps::cli
