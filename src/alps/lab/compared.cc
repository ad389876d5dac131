#include "alps/lab/compared.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "alps/base/error.h"
#include "alps/base/progress.h"
#include "alps/base/shell_quoted.h"

namespace alps {
namespace {

// of the parts of all methods (learn/method.cc)
const std::vector<std::string> kSteps = {"actor_steps",    "agent_steps", "detail_steps",
                                         "distance_steps", "model_steps", "mover_steps",
                                         "outcome_steps",  "prior_steps", "representation_steps"};

// settings of training without its steps, and those steps
struct Trained {
  std::vector<std::string> set;
  int64_t steps = 0;  // of every part; 0: the preset's
};

Trained split_steps(const std::vector<std::string>& set) {
  Trained trained;
  std::set<int64_t> steps;
  for (const std::string& assignment : set) {
    const std::string key = assignment.substr(0, assignment.find('='));
    if (std::ranges::find(kSteps, key) != kSteps.end())
      steps.insert(std::stoll(assignment.substr(key.size() + 1)));
    else
      trained.set.push_back(assignment);
  }
  if (steps.size() == 1)
    trained.steps = *steps.begin();
  else if (steps.size() > 1)  // parts that were trained differently are settings like any other
    trained.set = set;
  return trained;
}

std::string setting_text(std::vector<std::string> trained, const std::vector<std::string>& planned) {
  trained.insert(trained.end(), planned.begin(), planned.end());
  std::ranges::sort(trained);
  std::string all;
  for (const std::string& w : trained) all += (all.empty() ? "" : " ") + w;
  return all;
}

// planner `run` is the one of the preset that the run was trained with
std::string planner_of(const std::string& planner, const std::string& preset) {
  return planner.empty() || planner == "run" ? preset : planner;
}

// a result, or an evaluation of the sweep, without what repeats it (seeds, episodes)
struct Identity {
  Cell cell;  // of all tasks
  std::string preset, planner, backend;
  int64_t steps = 0;
};

Identity identity(const LedgerRow& row) {
  const Trained trained = split_steps(shell_words(row.train_set));
  const std::string clusters = value_of(row.asked, "clusters");
  return {.cell = {row.data_set, row.method, row.variant, clusters.empty() ? 0 : std::stoi(clusters),
                   setting_text(trained.set, shell_words(row.set)), 0},
          .preset = row.preset,
          .planner = planner_of(row.planner, row.preset),
          .backend = row.backend,
          .steps = trained.steps};
}

Identity identity(const RunSpec& run, const EvalSpec& eval) {
  Trained trained = split_steps(run.set);
  for (const std::string& other : other_data(run.data_seed, run.data_episodes)) trained.set.push_back(other);
  return {.cell = {run.data, run.method, eval.variant, eval.clusters, setting_text(trained.set, eval.set), 0},
          .preset = run.preset,
          .planner = planner_of(eval.planner, run.preset),
          .backend = eval.backend,
          .steps = trained.steps};
}

std::string how_text(const Exhibit& exhibit, const Identity& id) {
  const Protocol* protocol = protocol_for(exhibit, id.cell.data_set);
  if (protocol != nullptr && id.preset == protocol->preset && id.planner == id.preset && id.backend == "native" &&
      protocol->steps.size() > 1 && std::ranges::find(protocol->steps, id.steps) != protocol->steps.end())
    return "protocol of the paper";
  std::string how = id.preset;
  if (id.steps > 0) how += str(", ", with_commas(static_cast<size_t>(id.steps)), " steps");
  if (id.planner != id.preset) how += ", planner " + id.planner;
  if (id.backend != "native") how += ", environments of " + id.backend;
  return how;
}

// Evaluations of the same training with the same seed begin with the same episodes: the longest counts, then the
// newest.
std::vector<const LedgerRow*> without_repetitions(const std::vector<const LedgerRow*>& all) {
  std::map<std::tuple<uint64_t, uint64_t, std::string>, const LedgerRow*> best;
  for (const LedgerRow* row : all) {
    const LedgerRow*& kept = best[{row->seed, row->eval_seed, row->train_set}];
    const auto rank = [](const LedgerRow& r) { return std::tie(r.episodes, r.finished, r.config); };
    if (kept == nullptr || rank(*kept) < rank(*row)) kept = row;
  }
  std::vector<const LedgerRow*> result;
  for (const auto& [key, row] : best) result.push_back(row);
  return result;
}

Ours summary(const std::string& how, const std::vector<const LedgerRow*>& all, int task) {
  Ours ours{.how = how};
  std::set<uint64_t> seeds;
  for (const LedgerRow* row : without_repetitions(all)) {
    std::pair<int, int> counts = {row->successes, row->episodes};
    if (task > 0) {
      if (row->per_task.size() < static_cast<size_t>(task)) continue;
      counts = row->per_task[static_cast<size_t>(task) - 1];
    }
    ours.successes += static_cast<size_t>(counts.first);
    ours.episodes += static_cast<size_t>(counts.second);
    auto& run = ours.runs[{row->seed, row->train_set}];
    run.first += static_cast<size_t>(counts.first);
    run.second += static_cast<size_t>(counts.second);
    seeds.insert(row->seed);
    ours.rows.push_back(*row);
  }
  ours.seeds = seeds.size();
  return ours;
}

// "task=3" of published.csv is the cell's task; anything else is its setting
Cell cell_of(const PublishedFigure& p) {
  Cell cell{p.data_set, p.method, p.variant, p.clusters.empty() ? 0 : std::stoi(p.clusters), p.setting, 0};
  if (p.setting.starts_with("task=")) {
    cell.task = std::stoi(p.setting.substr(5));
    cell.setting.clear();
  }
  return cell;
}

}  // namespace

std::vector<std::string> other_data(uint64_t data_seed, int data_episodes) {
  std::vector<std::string> settings;
  if (data_episodes > 0) settings.push_back(str("data_episodes=", data_episodes));
  if (data_seed > 0) settings.push_back(str("data_seed=", data_seed));
  return settings;
}

std::string Cell::field(const std::string& name) const {
  if (name == "data_set") return data_set;
  if (name == "method") return method;
  if (name == "variant") return variant.empty() ? method : variant;
  if (name == "clusters") return clusters > 0 ? std::to_string(clusters) : "";
  if (name == "setting") return setting;
  if (name == "task") return task > 0 ? std::to_string(task) : "all";
  throw Error("a cell has no field '", name, "'");
}

Interval Ours::interval() const {
  const Interval share = wilson(successes, episodes);
  return {100 * share.low, 100 * share.high};
}

std::optional<double> Ours::deviation() const {
  if (runs.size() < 2) return std::nullopt;
  std::vector<double> rates;
  double mean = 0, squares = 0;
  for (const auto& [run, counts] : runs)
    rates.push_back(100.0 * static_cast<double>(counts.first) / static_cast<double>(counts.second));
  for (const double r : rates) mean += r / static_cast<double>(rates.size());
  for (const double r : rates) squares += (r - mean) * (r - mean);
  return std::sqrt(squares / static_cast<double>(rates.size() - 1));
}

std::optional<double> Compared::difference() const {
  if (!paper || ours.empty()) return std::nullopt;
  return first()->success() - paper->success;
}

std::vector<Compared> compare(const Exhibit& exhibit, const Sweep& sweep, const std::vector<PublishedFigure>& published,
                              const std::vector<LedgerRow>& ledger) {
  std::vector<Compared> all;
  std::map<Cell, size_t> places;
  const auto place = [&](const Cell& cell) -> Compared& {
    const auto [found, fresh] = places.try_emplace(cell, all.size());
    if (fresh) all.push_back({.cell = cell});
    return all[found->second];
  };
  for (const PublishedFigure& p : published)
    if (p.table == exhibit.published) place(cell_of(p)).paper = p;

  // the cells that the sweep asks for, and in which way
  std::map<Cell, std::string> wanted;
  for (const RunSpec& run : sweep.runs)
    for (const EvalSpec& eval : run.evals) {
      const Identity id = identity(run, eval);
      wanted.try_emplace(id.cell, how_text(exhibit, id));
      place(id.cell);
    }

  // ours, by cell and way; some tasks only, or a search that was stopped by the clock, are no figure of a table
  std::map<Cell, std::map<std::string, std::vector<const LedgerRow*>>> found;
  for (const LedgerRow& row : ledger) {
    if (row.episodes == 0 || !value_of(row.asked, "tasks").empty() || !value_of(row.asked, "budget_ms").empty())
      continue;
    const Identity id = identity(row);
    if (places.contains(id.cell)) found[id.cell][how_text(exhibit, id)].push_back(&row);
  }
  for (Compared& c : all) {
    Cell whole = c.cell;
    whole.task = 0;
    const auto asked = wanted.find(whole);
    c.planned = asked != wanted.end();
    for (const auto& [how, rows] : found[whole])
      if (Ours ours = summary(how, rows, c.cell.task); ours.episodes > 0) c.ours.push_back(std::move(ours));
    const std::string first = c.planned ? asked->second : "";
    std::ranges::stable_sort(c.ours, [&](const Ours& a, const Ours& b) {
      return std::tuple(a.how != first, b.episodes, a.how) < std::tuple(b.how != first, a.episodes, b.how);
    });
    for (const LeftOut& left : sweep.left_out)
      if (c.cell.data_set == left.data) c.missing = left.reason;
  }
  return all;
}

}  // namespace alps
