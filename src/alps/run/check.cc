#include "alps/run/check.h"

#include <algorithm>
#include <numeric>

#include "alps/base/progress.h"
#include "alps/base/shell_quoted.h"
#include "alps/data/check.h"
#include "alps/data/cuts.h"
#include "alps/data/factors.h"
#include "alps/nn/trunk.h"
#include "alps/run/check_parts.h"
#include "alps/run/coverage.h"
#include "alps/run/one_step.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

void append(std::vector<Finding>& all, std::vector<Finding> more) {
  for (Finding& f : more) all.push_back(std::move(f));
}

Finding coverage_line(const Coverage& c) {
  Finding f{
      .what = "coverage",
      .value = str(c.cells, " cells of ", c.columns, c.columns == 1 ? " column" : " columns",
                   "; the median one is visited by ", figure_text(c.episodes), " episodes, ", share_text(c.lonely),
                   " by one only; the busiest tenth holds ", share_text(c.busiest), " of the rows"),
      .meaning = "episodes overlap, so pieces of them can be joined to new ways"};
  if (c.lonely > 0.1) {
    f.mark = c.lonely > 0.5 ? Mark::kBad : Mark::kLook;
    f.meaning =
        "many places were seen by one episode only; new ways can be joined where episodes meet, and nowhere else";
    f.advice = "record more episodes through the same places, from several starts";
  }
  return f;
}

std::vector<Finding> prediction_lines(const OneStepError& e) {
  if (e.columns.empty()) return {};
  // the column in which the past helps most
  size_t most = 0, worst = 0;
  for (size_t i = 0; i < e.columns.size(); ++i) {
    if (e.now[i] - e.with_past[i] > e.now[most] - e.with_past[most]) most = i;
    if (e.with_past[i] > e.with_past[worst]) worst = i;
  }
  const double gain = e.now[most] - e.with_past[most], share = e.now[most] > 0 ? gain / e.now[most] : 0;
  Finding markov{.what = "Markov",
                 .value = str("column ", e.columns[most], ": ", share_text(e.now[most]),
                              " of a step's change unexplained by state and action, ", share_text(e.with_past[most]),
                              " with the step before"),
                 .meaning = "the observation holds what the next state depends on; the past adds little"};
  if (gain > 0.05 && share > 0.25) {
    markov.mark = gain > 0.2 && share > 0.5 ? Mark::kBad : Mark::kLook;
    markov.meaning =
        "the step before helps to predict the next one, so the observation lacks something: a velocity, a delay, a "
        "hidden "
        "state. Model and prior cannot know it";
    markov.advice = "add velocities, or the last observation and action, to the observation";
  }
  std::vector<double> sorted = e.with_past;
  std::ranges::sort(sorted);
  const double middle = sorted[sorted.size() / 2];
  Finding noise{.what = "one-step noise",
                .value = str("median column ", share_text(middle), " of the change unexplained, worst ",
                             share_text(e.with_past[worst]), " (column ", e.columns[worst], "), over ",
                             with_commas(e.steps), " steps"),
                .meaning = "a small model predicts most of a step; a larger one will do better"};
  if (middle > 0.5) {
    noise.mark = Mark::kLook;
    noise.meaning = "a small model explains less than half of a step: noise, or contacts that take a larger model";
    noise.advice =
        "if actions should determine the step, look for delays: is actions[t] what moved row t to row t + 1?";
  }
  return {std::move(markov), std::move(noise)};
}

// things that rest while others move, where there are some
Finding factors_line(const Factors& factors) {
  const size_t n = factors.size();
  return {
      .what = "factors",
      .value = str(n, n == 1 ? " thing rests" : " things rest", " while others move: columns ", factors_text(factors)),
      .meaning =
          "training learns to move one at a time, and the planner finds the order; goals are about these columns "
          "only",
      .advice = "if you know better, name the columns of each thing: alps train --set factors=..., or none"};
}

// images: how many are different
Finding image_line(const Dataset& data) {
  const size_t rows = data.rows(), distinct = data.observations.empty() ? rows : data.observations.distinct();
  return {.what = "images",
          .value = str(with_commas(rows), " of ", shape_text(data.observation_shape),
                       distinct < rows ? str(", ", with_commas(distinct), " of them distinct") : ""),
          .meaning = "columns, coverage and one-step prediction are checked for states only"};
}

}  // namespace

std::vector<Finding> check_image_shape(const Dataset& data) {
  if (!data.image()) return {};
  const Shape& shape = data.observation_shape;
  if (shape.size() == 3 && shape[0] <= 4 && shape[1] > 4 && shape[2] > 4)
    return {{Mark::kBad, "image size", shape_text(shape), "the channels seem to come before height and width",
             "save numpy.moveaxis(observations, 1, -1), so that it is (rows, height, width, channels)"}};
  try {
    trunk_features(data.observation_shape);
    return {};
  } catch (const Error& e) {
    return {{Mark::kBad, "image size", shape_text(data.observation_shape), e.what(),
             "save images as (rows, height, width, channels), larger ones if you can"}};
  }
}

std::vector<Finding> check_data(const Dataset& data, int threads) {
  std::vector<Finding> all;
  for (const std::string& warning : data.warnings)
    all.push_back({Mark::kLook, "file", warning, "the file can be used as described"});
  append(all, check_episodes(data));
  append(all, check_columns(data));
  append(all, check_actions(data));
  append(all, check_image_shape(data));
  if (data.image()) {
    all.push_back(image_line(data));
    return all;
  }
  const Coverage coverage = measure_coverage(data, threads);
  if (coverage.cells > 0) all.push_back(coverage_line(coverage));
  append(all, prediction_lines(one_step_error(data)));
  if (const Factors factors = find_factors(data.observations, data.episodes); !factors.empty())
    all.push_back(factors_line(factors));
  return all;
}

std::vector<Finding> check_run(const Run& run, const Dataset* data, int threads) {
  std::vector<Finding> all;
  if (data != nullptr && !run.model->representation.empty()) append(all, check_map(run, *data, threads));
  if (data != nullptr && !run.model->representation.empty()) append(all, check_predictions(run, *data, threads));
  if (data != nullptr && !run.model->representation.empty()) append(all, check_prior(run, *data, threads));
  if (run.graph) append(all, check_regions(*run.graph));
  if (run.graph) append(all, check_reach(run, threads));
  if (data == nullptr)
    all.push_back({Mark::kLook, "data set", run.config.data_path + " is not there",
                   "map, model and prior cannot be compared with what was recorded", "put the file back"});
  if (run.model->representation.empty())
    all.push_back({Mark::kGood, "method", run.config.method, "imitates and has no map, model or regions to check"});
  return all;
}

Checked check(const std::string& file_or_run, const fs::path& data_dir, int threads) {
  Checked checked;
  if (fs::is_directory(file_or_run)) {
    const Run run = open_run(file_or_run, {.threads = threads});
    checked.path = file_or_run;
    checked.run = true;
    if (!fs::exists(run.config.data_path)) {
      checked.findings = check_run(run, nullptr, threads);
      return checked;
    }
    const Dataset data = load_dataset(
        run.config.data_path, {.state = false, .cuts = run.config.settings<CutSettings>().cuts(), .threads = threads});
    checked.findings = check_run(run, &data, threads);
    return checked;
  }
  checked.path = dataset_path(file_or_run, data_dir);
  checked.findings = check_data(load_dataset(checked.path, {.state = false, .threads = threads}), threads);
  return checked;
}

}  // namespace alps
