#include "alps/lab/reproduce.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "alps/base/error.h"
#include "alps/base/shell_quoted.h"
#include "alps/collect/recipe.h"
#include "alps/lab/compared.h"
#include "alps/lab/ledger.h"
#include "alps/lab/task_state.h"
#include "alps/run/run_config.h"
#include "alps/world/catalog.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

constexpr double kReportMinutes = 0.05;  // core-minutes of pictures and a report; 0.8 s for pointmaze-large

SweepOverrides overrides_of(const ReproduceRequest& request, const Protocol* protocol) {
  SweepOverrides overrides{.seeds = request.seeds,
                           .episodes = request.episodes,
                           .preset = request.preset,
                           .data_dir = request.paths.data_dir,
                           .leave_out_missing = true};
  if (protocol == nullptr) return overrides;
  if (!overrides.seeds && protocol->seeds > 0) overrides.seeds = protocol->seeds;
  if (!overrides.episodes && protocol->episodes > 0) overrides.episodes = protocol->episodes;
  if (overrides.preset.empty()) overrides.preset = protocol->preset;
  overrides.steps = protocol->steps;
  return overrides;
}

int tasks_of_world(const std::string& data) {
  constexpr int kOgbench = 5;  // start-goal pairs of each of OGBench's environments
  const CatalogEntry* env = find_env(recipe(data).env);
  return env == nullptr || env->ogbench ? kOgbench : 1;
}

void add(CostLine& line, const Cost& cost) {
  ++line.tasks;
  line.core_minutes += cost.core_minutes;
  line.estimated += cost.estimated;
}

}  // namespace

PlannedExhibit plan_exhibit(const Exhibit& exhibit, const ReproduceRequest& request) {
  PlannedExhibit planned{.exhibit = exhibit, .sweep = {}};
  planned.sweep.name = exhibit.name;
  planned.sweep.file = exhibit.file;
  if (!exhibit.runs) return planned;
  if (!request.paper_protocol || exhibit.protocol.empty()) {
    planned.sweep = load_sweep(exhibit.file, overrides_of(request, nullptr));
  } else {
    // data sets that are measured in different ways come from the same file read once for each way
    for (const Protocol& protocol : exhibit.protocol) {
      const Sweep all = load_sweep(exhibit.file, overrides_of(request, &protocol));
      planned.sweep.engine = all.engine;
      for (const RunSpec& run : all.runs)
        if (protocol_for(exhibit, run.data) == &protocol) planned.sweep.runs.push_back(run);
      for (const LeftOut& left : all.left_out)
        if (protocol_for(exhibit, left.data) == &protocol) planned.sweep.left_out.push_back(left);
    }
  }
  if (exhibit.as == Exhibit::As::kPictures)
    for (RunSpec& run : planned.sweep.runs) run.report = true;
  return planned;
}

Sweep joint_sweep(const std::vector<PlannedExhibit>& planned) {
  Sweep joint{.name = "reproduce"};
  std::set<std::string> told;
  for (const PlannedExhibit& p : planned) {
    joint.runs.insert(joint.runs.end(), p.sweep.runs.begin(), p.sweep.runs.end());
    for (const LeftOut& left : p.sweep.left_out)
      if (told.insert(left.data).second) joint.left_out.push_back(left);
    if (!p.sweep.runs.empty()) joint.engine = p.sweep.engine;
  }
  return joint;
}

fs::path run_of(const LedgerRow& row) {
  const std::vector<std::string> words = shell_words(row.command);
  return words.size() > 2 && words[1] == "eval" ? fs::absolute(words[2]) : fs::path();
}

std::vector<LedgerRow> results_of(const LabPaths& paths, std::vector<fs::path> ledgers) {
  if (fs::is_directory(paths.ledger())) ledgers.push_back(paths.ledger());
  std::vector<LedgerRow> rows = read_ledger(ledgers).rows;
  for (LedgerRow& row : rows) {
    const fs::path run = run_of(row);
    if (run.parent_path() != paths.runs() || !has_run(run)) continue;
    const fs::path data = load_run_config(run).data_path;
    unsigned long long seed = 0;
    int episodes = 0;  // LAB/data/seed1-episodes20/NAME.npz
    if (data.parent_path().parent_path() != paths.lab / "data" ||
        std::sscanf(data.parent_path().filename().c_str(), "seed%llu-episodes%d", &seed, &episodes) < 1)
      continue;
    for (const std::string& other : other_data(seed, episodes))
      row.train_set += (row.train_set.empty() ? "" : " ") + other;
  }
  return rows;
}

double CostTable::core_minutes() const {
  double sum = 0;
  for (const CostLine& line : lines) sum += line.core_minutes;
  return sum;
}

size_t CostTable::tasks() const {
  size_t sum = 0;
  for (const CostLine& line : lines) sum += line.tasks;
  return sum;
}

bool CostTable::estimated() const {
  return std::ranges::any_of(lines, [](const CostLine& line) { return line.estimated > 0; });
}

CostTable cost_of(const Sweep& sweep, const Costs& costs, const LabPaths& paths) {
  CostTable table{.lines = {{.kind = "make data"}, {.kind = "train"}, {.kind = "evaluate"}, {.kind = "draw"}}};
  std::set<std::string> seen;
  const auto to_do = [&](const Task& task) {
    if (!seen.insert(task.key).second) return false;
    const bool done = TaskFolder(paths.tasks() / task.key, sweep.engine).state(task).status == TaskStatus::kDone;
    table.done += done;
    return !done;
  };
  // one run with one evaluation at a time, so that each task is known by what it is for
  for (const RunSpec& run : sweep.runs) {
    std::vector<EvalSpec> evals = run.evals;
    const bool none = evals.empty();
    if (none) evals.emplace_back();
    for (const EvalSpec& eval : evals) {
      RunSpec one = run;
      one.evals = none ? std::vector<EvalSpec>{} : std::vector<EvalSpec>{eval};
      one.report = false;
      for (const Task& task : tasks_of({.name = sweep.name, .runs = {one}, .engine = sweep.engine}, paths)) {
        if (!to_do(task)) continue;
        if (task.kind == TaskKind::kData && task.units > 0) {  // of a part its share; joining parts is free
          Cost cost = costs.data(run);
          cost.core_minutes /= std::max(1, run.data_parts);
          add(table.lines[0], cost);
        }
        if (task.kind == TaskKind::kTrain) add(table.lines[1], costs.training(run));
        if (task.kind == TaskKind::kEval) add(table.lines[2], costs.evaluation(run, eval, tasks_of_world(run.data)));
      }
    }
    if (run.report)
      for (const Task& task : tasks_of({.name = sweep.name, .runs = {run}, .engine = sweep.engine}, paths))
        if (task.kind == TaskKind::kReport && to_do(task)) add(table.lines[3], {kReportMinutes, true});
  }
  std::erase_if(table.lines, [](const CostLine& line) { return line.tasks == 0; });
  return table;
}

}  // namespace alps
