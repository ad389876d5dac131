#include "alps/run/result_rows.h"

#include "alps/base/version.h"
#include "alps/eval/statistics.h"

namespace alps {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// what both kinds of rows say of the configuration
void add_setup(CsvRow& row, const Run& run, const EvaluationSetup& setup) {
  const bool plans = !setup.planner.empty();
  row.push_back({"clusters", run.graph ? str(run.graph->clusters()) : ""});
  row.push_back({"set", joined(setup.set)});
  row.push_back({"budget_ms", plans && setup.settings.budget_ms > 0 ? str(setup.settings.budget_ms) : ""});
  row.push_back({"backend", setup.backend});
}

template <class Value>
std::string told(const EvalResult* result, Value&& value) {
  return result != nullptr ? str(value(*result)) : "";
}

double low(const EvalResult& r) { return wilson(r.successes(), r.count()).low; }
double high(const EvalResult& r) { return wilson(r.successes(), r.count()).high; }

}  // namespace

CsvRow eval_row(const Run& run, const EvaluationSetup& setup, int num_tasks, const EvalResult* result) {
  CsvRow row = {{"config", configuration_hash(configuration_json(run, setup))},
                {"method", run.config.method},
                {"train_seed", str(run.config.seed)},
                {"variant", setup.variant},
                {"planner", setup.planner}};
  add_setup(row, run, setup);
  row.push_back({"seed", str(setup.seed)});
  row.push_back({"episodes", str(setup.episodes)});
  for (int task = 1; task <= num_tasks; ++task)
    row.push_back({str("evaluation/task", task, "_success"),
                   result != nullptr && result->count(task) > 0 ? str(result->success(task)) : ""});
  row.push_back({"evaluation/overall_success", told(result, std::mem_fn(&EvalResult::overall_success))});
  row.push_back({"evaluation/low", told(result, low)});
  row.push_back({"evaluation/high", told(result, high)});
  row.push_back({"evaluation/episode.length", told(result, std::mem_fn(&EvalResult::mean_steps))});
  row.push_back({"time/decision_ms", told(result, std::mem_fn(&EvalResult::mean_decision_ms))});
  row.push_back({"time/total_time", told(result, std::mem_fn(&EvalResult::seconds))});
  return row;
}

CsvRow ledger_row(const Run& run, const EvaluationSetup& setup, const EvalResult* result) {
  CsvRow row = {{"config", configuration_hash(configuration_json(run, setup))},
                {"data_set", run.config.data_name},
                {"method", run.config.method},
                {"variant", setup.variant},
                {"planner", setup.planner},
                {"train_preset", run.config.preset},
                {"seed", str(run.config.seed)},
                {"eval_seed", str(setup.seed)}};
  add_setup(row, run, setup);
  row.push_back({"episodes", told(result, [](const EvalResult& r) { return r.count(); })});
  row.push_back({"successes", told(result, [](const EvalResult& r) { return r.successes(); })});
  row.push_back({"success", told(result, std::mem_fn(&EvalResult::overall_success))});
  row.push_back({"low", told(result, low)});
  row.push_back({"high", told(result, high)});
  row.push_back({"per_task", told(result, [](const EvalResult& r) {
                   std::string tasks;
                   for (const int t : r.tasks())
                     tasks += str(tasks.empty() ? "" : " ", r.successes(t), "/", r.count(t));
                   return tasks;
                 })});
  row.push_back({"mean_steps", told(result, std::mem_fn(&EvalResult::mean_steps))});
  row.push_back({"decision_ms", told(result, std::mem_fn(&EvalResult::mean_decision_ms))});
  row.push_back({"version", ALPS_VERSION_STRING});
  row.push_back({"commit", alps_commit()});
  row.push_back({"command", setup.command});
  return row;
}

}  // namespace alps
