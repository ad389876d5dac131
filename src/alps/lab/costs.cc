#include "alps/lab/costs.h"

#include <algorithm>
#include <cmath>

#include "alps/base/csv_file.h"
#include "alps/base/error.h"
#include "alps/collect/recipe.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

// how unlike two data sets are, for a cost: another body is far away, more rows a little
double unlike(const std::string& a, const std::string& b) {
  const Recipe *x = find_recipe(a), *y = find_recipe(b);
  if (a == b) return 0;
  if (x == nullptr || y == nullptr) return 100;
  double far = 0.01;  // not the same one
  if (x->expert != y->expert || x->walked_in.empty() != y->walked_in.empty()) far += 50;
  if (x->behaviour != y->behaviour) far += 1;
  const auto rows = [](const Recipe& r) { return std::log(static_cast<double>(r.rows())); };
  return far + std::abs(rows(*x) - rows(*y));
}

double share_of_rows(const RunSpec& run) {
  const Recipe& what = recipe(run.data);
  return run.data_episodes > 0 ? run.data_episodes / static_cast<double>(what.episodes) : 1;
}

// the training steps that a run sets itself, of all parts; 0 where it leaves one to the preset
double steps_set(const RunSpec& run) {
  double sum = 0;
  size_t parts = 0;
  for (const std::string& assignment : run.set)
    for (const char* key : {"representation_steps=", "model_steps=", "prior_steps=", "actor_steps=", "agent_steps="})
      if (assignment.starts_with(key)) {
        sum += std::stod(assignment.substr(std::string(key).size()));
        ++parts;
      }
  return parts == 3 || run.method != "alps" ? sum : 0;
}

}  // namespace

Costs::Costs(const fs::path& file) : file_(file) {
  const CsvFile csv = read_csv(file);
  const std::vector<std::string> columns = {"task", "data_set", "method", "variant", "preset", "steps", "core_minutes"};
  for (const std::string& column : columns)
    if (csv.find(column) == csv.columns.size())
      throw Error(file.string(), " lacks the column ", column, "; docs/reproduce.md shows its columns");
  const auto text = [&](size_t row, const char* column) { return csv.text(row, csv.find(column)); };
  for (size_t i = 0; i < csv.rows.size(); ++i) {
    const double steps = csv.number(i, csv.find("steps")), minutes = csv.number(i, csv.find("core_minutes"));
    if (!(minutes > 0)) throw Error(file.string(), ":", i + 2, ": core_minutes must be a number above 0");
    rows_.push_back({.task = text(i, "task"),
                     .data_set = text(i, "data_set"),
                     .method = text(i, "method"),
                     .variant = text(i, "variant"),
                     .preset = text(i, "preset"),
                     .steps = std::isfinite(steps) ? steps : 0,
                     .core_minutes = minutes});
  }
}

std::pair<const CostRow*, bool> Costs::nearest(const char* task, const RunSpec& run, const std::string& variant,
                                               const std::string& preset) const {
  const CostRow* best = nullptr;
  double least = 0;
  for (const CostRow& row : rows_) {
    if (row.task != task) continue;
    double far = unlike(run.data, row.data_set);
    if (row.task == "train" || row.task == "episode")
      far += 200.0 * (row.preset != preset) + 10.0 * (row.method != run.method);
    if (row.task == "episode") far += 5.0 * (row.variant != variant);
    if (best == nullptr || far < least) {
      best = &row;
      least = far;
    }
  }
  if (best == nullptr)
    throw Error(file_.string(), " has no row for task '", task, "'; add one as docs/reproduce.md shows");
  return {best, least == 0};
}

Cost Costs::data(const RunSpec& run) const {
  const auto [row, same] = nearest("data", run, "", "");
  const Recipe* measured = find_recipe(row->data_set);
  const double scale =
      measured != nullptr ? static_cast<double>(recipe(run.data).rows()) / static_cast<double>(measured->rows()) : 1;
  return {row->core_minutes * scale * share_of_rows(run), !same};
}

Cost Costs::training(const RunSpec& run) const {
  const auto [row, same] = nearest("train", run, "", run.preset);
  const double steps = steps_set(run);
  return {row->core_minutes * (steps > 0 && row->steps > 0 ? steps / row->steps : 1), !same};
}

Cost Costs::evaluation(const RunSpec& run, const EvalSpec& eval, int tasks) const {
  const std::string planner = eval.planner.empty() || eval.planner == "run" ? run.preset : eval.planner;
  const auto [row, same] = nearest("episode", run, eval.variant, planner);
  const int played = eval.tasks.empty() ? tasks : static_cast<int>(eval.tasks.size());
  Cost cost{row->core_minutes * eval.episodes * played, !same};
  if (eval.clusters > 0) {  // regions are found anew
    const auto [regions, same_data] = nearest("regions", run, "", "");
    cost.core_minutes += regions->core_minutes;
    cost.estimated = cost.estimated || !same_data;
  }
  return cost;
}

}  // namespace alps
