// How far the forward model can be trusted and how well the prior imitates: parts of check_run.
#include <algorithm>
#include <cmath>

#include "alps/plan/planner_settings.h"
#include "alps/plan/rollout.h"
#include "alps/run/check_parts.h"
#include "alps/run/stretches.h"
#include "alps/run/trust.h"

namespace alps {
namespace {

constexpr size_t kStarts = 2000;

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// of rows (n, dim): the median distance of corresponding rows
double median_distance(std::span<const float> a, std::span<const float> b, size_t dim) {
  std::vector<double> all;
  for (size_t i = 0; i + dim <= a.size(); i += dim)
    all.push_back(std::sqrt(squared_distance(a.subspan(i, dim), b.subspan(i, dim))));
  return median(std::move(all));
}

struct HorizonError {
  size_t horizon;
  double psi, psi_still;      // median distance to where the state went: of the prediction, and of no change
  double state, state_still;  // the same in normalized states
};

std::vector<HorizonError> open_loop(const Run& run, const Dataset& data, std::span<const size_t> horizons,
                                    int threads) {
  const Model& m = *run.model;
  const std::vector<size_t> rows = starts_with(data, horizons.back(), kStarts);
  std::vector<HorizonError> errors;
  if (rows.empty()) return errors;
  const std::vector<float> start = states_of(*run.model, data, rows, threads);
  const size_t z = m.eigenvectors(), s = m.state_size();
  std::vector<float> state = start, psi(rows.size() * z), psi_true(psi.size()), psi_start(psi.size());
  m.psi(start, psi_start, threads);
  size_t done = 0;
  for (const size_t h : horizons) {
    for (; done < h; ++done) m.step(state, actions_of(*run.model, data, rows, done), state, threads);
    const std::vector<float> truth = states_of(*run.model, data, later(rows, h), threads);
    m.psi(state, psi, threads);
    m.psi(truth, psi_true, threads);
    errors.push_back({h, median_distance(psi, psi_true, z), median_distance(psi_start, psi_true, z),
                      median_distance(state, truth, s), median_distance(start, truth, s)});
  }
  return errors;
}

// whether the search can be believed
Finding trust_line(const std::vector<double>& trust) {
  std::string values;
  for (const size_t steps : {size_t{1}, size_t{5}, trust.size()})
    if (steps <= trust.size() && (steps < trust.size() || steps > 5 || values.empty()))
      values += str(values.empty() ? "" : ", ", share_text(trust[steps - 1]), " after ", steps);
  Finding f{.what = "search",
            .value = values + " steps, of what the model imagines of other actions, comes true",
            .meaning = "where other actions than the prior's would lead, the model can tell: searching pays"};
  const double last = trust.back();
  if (last >= 0.8) return f;
  f.mark = last < 0.4 ? Mark::kBad : Mark::kLook;
  f.meaning = last < 0.4
                  ? "the model can hardly tell where other actions than the prior's would lead: the planner searches "
                    "less far ahead, or acts by the prior alone"
                  : "the further ahead, the less the model can tell where other actions would lead";
  f.advice = "compare --variant alps with dijkstra+prior; record behaviour that varies more, or more of it";
  return f;
}

}  // namespace

std::vector<Finding> check_predictions(const Run& run, const Dataset& data, int threads) {
  if (run.model->model.empty()) return {};
  const auto planned = static_cast<size_t>(run.config.settings<PlannerSettings>().horizon);
  std::vector<size_t> horizons = {1, planned};
  for (const size_t h : {5, 25})
    if (h != planned) horizons.push_back(h);
  std::ranges::sort(horizons);
  horizons.erase(std::unique(horizons.begin(), horizons.end()), horizons.end());
  // as far as there are episodes of that length
  size_t longest = 0;
  for (const Episode& e : data.episodes) longest = std::max(longest, e.last - e.first);
  std::erase_if(horizons, [&](size_t h) { return h > longest; });
  const std::vector<HorizonError> errors = open_loop(run, data, horizons, threads);
  if (errors.empty()) return {};

  std::string in_psi, in_state;
  const HorizonError* at = &errors.back();
  for (const HorizonError& e : errors) {
    in_psi += str(in_psi.empty() ? "" : ", ", share_text(e.psi / std::max(e.psi_still, 1e-12)), " after ", e.horizon);
    in_state += str(in_state.empty() ? "" : ", ", figure_text(e.state), " (no change: ", figure_text(e.state_still),
                    ") after ", e.horizon);
    if (e.horizon == planned) at = &e;
  }
  const double ratio = at->psi / std::max(at->psi_still, 1e-12);
  Finding f{
      .what = "model error on the map",
      .value = in_psi + " steps, of the way covered meanwhile",
      .meaning = str("over the planner's horizon of ", planned, " steps the model knows well where actions lead")};
  if (ratio > 0.3) {
    f.mark = ratio > 0.7 ? Mark::kBad : Mark::kLook;
    f.meaning = str("over the planner's horizon of ", planned, " steps the model misses by ", share_text(ratio),
                    " of the way: search is about as often misled as helped");
    f.advice =
        "train the model longer (--set model_steps=), plan less far (--set horizon=), or act by the prior (--variant "
        "dijkstra+prior); alps check of the data set tells whether the observation suffices";
  }
  // against saying that nothing changes
  const double against = at->state / std::max(at->state_still, 1e-12);
  Finding state{.what = "model error in the state",
                .value = in_state + " steps, in deviations",
                .meaning = "the prediction is much nearer to the state that came than the state before was"};
  if (against > 0.7) {
    state.mark = against >= 1 ? Mark::kBad : Mark::kLook;
    state.meaning = against >= 1 ? "the model is no better than saying that nothing changes"
                                 : "the model is little better than saying that nothing changes";
    state.advice = "train the model longer (--set model_steps=)";
  }
  std::vector<Finding> found = {std::move(f), std::move(state)};
  if (const auto trust = measure_trust(*run.model, data, threads); !trust.empty()) found.push_back(trust_line(trust));
  return found;
}

std::vector<Finding> check_prior(const Run& run, const Dataset& data, int threads) {
  const Model& m = *run.model;
  if (m.prior.empty()) return {};
  size_t ahead = 1;
  if (run.config.profile.has("prior_horizon"))
    if (const int* horizon = std::get_if<int>(&run.config.profile.at("prior_horizon").value))
      ahead = std::max<size_t>(1, static_cast<size_t>(*horizon) / 2);
  ahead = std::min(ahead, usual_gap(run));
  const std::vector<size_t> rows = starts_with(data, ahead, kStarts);
  if (rows.empty()) return {};
  const std::vector<float> state = states_of(*run.model, data, rows, threads),
                           goal = states_of(*run.model, data, later(rows, ahead), threads),
                           taken = actions_of(*run.model, data, rows, 0);
  std::vector<float> psi(rows.size() * m.eigenvectors()), goal_psi(psi.size()), wished(taken.size());
  m.psi(state, psi, threads);
  m.psi(goal, goal_psi, threads);
  m.act(state, psi, goal_psi, wished, threads);

  const size_t a = m.action_size();
  double error = 0, variance = 0;
  for (size_t k = 0; k < a; ++k) {
    double mean = 0;
    for (size_t i = k; i < taken.size(); i += a) mean += taken[i] / static_cast<double>(rows.size());
    for (size_t i = k; i < taken.size(); i += a) {
      error += std::pow(taken[i] - std::clamp(wished[i], -1.0f, 1.0f), 2);
      variance += std::pow(taken[i] - mean, 2);
    }
  }
  const double explained = variance > 0 ? 1 - error / variance : 0;
  Finding f{.what = "prior",
            .value = str("explains ", share_text(std::max(0.0, explained)), " of the actions' variance for goals ",
                         ahead, " steps ahead; spread ", figure_text(m.prior_spread), " of the limit"),
            .meaning = "given where the behaviour was heading, its actions can be told"};
  if (explained < 0.1) {
    f.mark = explained < 0.01 ? Mark::kBad : Mark::kLook;
    f.meaning =
        "the actions hardly follow from state and goal: noise outweighs what was wanted, or the prior is not trained";
    f.advice =
        "train the prior longer (--set prior_steps=); with purely random behaviour rely on search (--variant "
        "dijkstra+cem)";
  }
  return {std::move(f)};
}

}  // namespace alps
