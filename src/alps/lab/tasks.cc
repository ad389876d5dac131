#include "alps/lab/tasks.h"

#include <algorithm>
#include <set>

#include "alps/base/error.h"
#include "alps/base/memory.h"
#include "alps/base/version.h"
#include "alps/collect/recipe.h"
#include "alps/data/dataset.h"
#include "alps/run/results.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

// "NAME-5f0c1d2e": eight digits of the hash of everything that it depends on; two of 10,000 tasks of the same readable
// name would have to meet in 2^32
std::string keyed(const std::string& name, const std::string& depends_on) {
  return name + "-" + configuration_hash(depends_on + ALPS_VERSION_STRING).substr(0, 8);
}

std::string data_text(const RunSpec& run) {
  return str("data ", run.data, " seed ", run.data_seed, " episodes ", run.data_episodes);
}

std::string train_text(const RunSpec& run) {
  return str(data_text(run), " method ", run.method, " preset ", run.preset, " seed ", run.seed, " set ",
             joined(run.set, " "));
}

// data sets that are not the usual ones lie with the lab, so that nobody takes them for OGBench's
bool usual(const RunSpec& run) { return run.data_seed == 0 && run.data_episodes == 0; }

fs::path data_folder(const LabPaths& paths, const RunSpec& run) {
  if (usual(run)) return paths.data_dir;
  return paths.lab / "data" /
         str("seed", run.data_seed, run.data_episodes > 0 ? str("-episodes", run.data_episodes) : "");
}

// The memory of a task as we measured it: training holds the rows about four times, images once and up to the bound of
// the reader (base/memory.h).
int memory_for(const RunSpec& run, TaskKind kind) {
  const Recipe& what = recipe(run.data);
  constexpr double kProgram = 600, kRow = 600e-6;  // MB
  const double episodes =
      run.data_episodes > 0 ? std::min(1.0, run.data_episodes / static_cast<double>(what.episodes)) : 1;
  const double rows = episodes * static_cast<double>(what.rows());
  if (kind == TaskKind::kEval || kind == TaskKind::kData) return static_cast<int>(kProgram);
  const bool images = !what.walked_in.empty();
  const double data = images ? std::min(rows * 0.012, static_cast<double>(memory_for_data()) / 1e6) : rows * kRow;
  return static_cast<int>(kProgram + data);
}

void in_folder(std::vector<std::string>& command, const fs::path& folder) {
  if (!folder.empty()) command.insert(command.end(), {"--data_dir", folder.string()});
}

class Tasks {
 public:
  Tasks(const Sweep& sweep, const LabPaths& paths) : sweep_(sweep), paths_(paths) {}

  std::vector<Task> all() {
    for (const RunSpec& run : sweep_.runs) add_run(run);
    return std::move(tasks_);
  }

 private:
  // the same task of two blocks is one
  std::string add(Task task) {
    if (sweep_.engine.memory_mb > 0) task.memory_mb = sweep_.engine.memory_mb;
    if (added_.insert(task.key).second) tasks_.push_back(task);
    return task.key;
  }

  std::vector<std::string> add_data(const RunSpec& run) {
    const Recipe& what = recipe(run.data);
    Task task{.key = keyed("data-" + run.data, data_text(run)),
              .kind = TaskKind::kData,
              .data = run.data,
              .command = {},
              .needs = {}};
    task.command = {"data", "make", run.data, "--seed", str(run.data_seed), "--threads", "1"};
    if (run.data_episodes > 0) task.command.insert(task.command.end(), {"--episodes", str(run.data_episodes)});
    in_folder(task.command, data_folder(paths_, run));
    task.memory_mb = memory_for(run, TaskKind::kData);
    task.makes = fs::absolute(dataset_path(run.data, data_folder(paths_, run)));
    task.proof = Proof::kFile;  // whoever made it
    task.units = run.data_episodes > 0 ? static_cast<int64_t>(run.data_episodes) * (what.length + 1)
                                       : static_cast<int64_t>(what.rows());
    const Task whole = task;
    for (int i = 1; i <= run.data_parts && run.data_parts > 1; ++i) {
      Task part = whole;
      part.key = keyed(str("data-", run.data, "-part", i), str(data_text(run), " part ", i, "/", run.data_parts));
      part.command.insert(part.command.end(), {"--part", str(i, "/", run.data_parts)});
      part.units = whole.units / run.data_parts;
      part.proof = Proof::kEither;
      task.needs.push_back(add(std::move(part)));
    }
    if (run.data_parts > 1) task.units = 0;  // only joins them
    return {add(std::move(task))};
  }

  void add_run(const RunSpec& run) {
    const fs::path folder = run_path(paths_, run);
    const std::string name = folder.filename().string();
    Task train{.key = "train-" + name,
               .kind = TaskKind::kTrain,
               .data = run.data,
               .command = {},
               .needs = add_data(run),
               .cores = run.threads};
    train.command = {"train",    run.data, "--out",       folder.string(), "--method",       run.method, "--preset",
                     run.preset, "--seed", str(run.seed), "--threads",     str(run.threads), "--resume"};
    for (const std::string& assignment : run.set) train.command.insert(train.command.end(), {"--set", assignment});
    in_folder(train.command, data_folder(paths_, run));
    train.memory_mb = memory_for(run, TaskKind::kTrain);
    train.makes = folder / "model.safetensors";
    train.proof = Proof::kBoth;
    train.units = 1;
    const std::string trained = add(std::move(train));

    std::vector<std::string> evaluated;
    for (const EvalSpec& eval : run.evals) evaluated.push_back(add(eval_task(run, eval, folder, trained)));
    if (!run.report) return;
    Task report{.key = keyed("report-" + name, joined(evaluated, " ")),
                .kind = TaskKind::kReport,
                .data = run.data,
                .command = {"plot", folder.string()},
                .needs = std::move(evaluated)};
    if (report.needs.empty()) report.needs = {trained};
    report.memory_mb = memory_for(run, TaskKind::kTrain);
    add(std::move(report));
  }

  Task eval_task(const RunSpec& run, const EvalSpec& eval, const fs::path& folder, const std::string& trained) const {
    Task task{
        .key = {}, .kind = TaskKind::kEval, .data = run.data, .command = {}, .needs = {trained}, .cores = eval.threads};
    std::vector<std::string> what;  // the part of the command that decides about the result
    const auto add = [&](const char* option, const std::string& value) { what.insert(what.end(), {option, value}); };
    if (!eval.variant.empty()) add("--variant", eval.variant);
    if (!eval.planner.empty()) add("--planner", eval.planner);
    add("--episodes", str(eval.episodes));
    add("--seed", str(eval.seed));
    std::vector<std::string> tasks;
    for (const int t : eval.tasks) tasks.push_back(str(t));
    if (!tasks.empty()) add("--tasks", joined(tasks, ","));
    if (eval.clusters > 0) add("--clusters", str(eval.clusters));
    for (const std::string& assignment : eval.set) add("--set", assignment);
    if (eval.backend != "native") add("--backend", eval.backend);
    const std::string who = eval.variant.empty() ? run.method : eval.variant;
    task.key = keyed(str("eval-", folder.filename().string(), "-", who), joined(what, " "));
    task.command = {"eval", folder.string()};
    task.command.insert(task.command.end(), what.begin(), what.end());
    task.command.insert(task.command.end(), {"--threads", str(eval.threads), "--ledger", paths_.ledger().string()});
    // other regions than the run's are cut from the data
    task.memory_mb = memory_for(run, eval.clusters > 0 ? TaskKind::kTrain : TaskKind::kEval);
    task.units = static_cast<int64_t>(eval.episodes) * static_cast<int64_t>(eval.tasks.empty() ? 5 : eval.tasks.size());
    return task;
  }

  const Sweep& sweep_;
  const LabPaths& paths_;
  std::vector<Task> tasks_;
  std::set<std::string> added_;
};

}  // namespace

const char* task_kind_name(TaskKind kind) {
  switch (kind) {
    case TaskKind::kData: return "data";
    case TaskKind::kTrain: return "train";
    case TaskKind::kEval: return "eval";
    case TaskKind::kReport: return "report";
  }
  return "";
}

fs::path run_path(const LabPaths& paths, const RunSpec& run) {
  return paths.runs() / keyed(str(run.data, "-", run.method, "-s", run.seed), train_text(run));
}

std::vector<Task> tasks_of(const Sweep& sweep, const LabPaths& paths) { return Tasks(sweep, paths).all(); }

}  // namespace alps
