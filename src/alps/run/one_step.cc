#include "alps/run/one_step.h"

#include <algorithm>
#include <cmath>

#include "alps/data/check.h"
#include "alps/data/jumps.h"
#include "alps/run/small_model.h"

namespace alps {
OneStepError one_step_error(const Dataset& data, const OneStepParams& params) {
  OneStepError result;
  if (data.image()) return result;
  // leaps are no motion, and steps need one before them
  const std::vector<Episode> whole = cut_after(data.episodes, find_leaps(data.observations, data.episodes).rows);
  std::vector<Episode> fitted, judged;
  for (size_t i = 0; i < whole.size(); ++i) {
    Episode e = whole[i];
    if (e.rows() < 3) continue;
    ++e.first;
    if (whole.size() >= 5) {
      (i % 5 == 4 ? judged : fitted).push_back(e);
    } else {  // the last fifth of each
      const size_t cut = e.last - (e.last - e.first) / 5;
      if (cut > e.first) fitted.push_back({e.first, cut});
      if (e.last > cut) judged.push_back({cut, e.last});
    }
  }
  const std::vector<size_t> rows[2] = {even_steps(fitted, params.steps), even_steps(judged, params.judged)};
  const size_t columns = data.observation_size(), actions = data.action_size();
  const size_t inputs = 2 * (columns + actions);
  if (rows[0].size() < 4 * (inputs + params.features) || rows[1].size() < 50) return result;

  Table now[2], past[2], change[2];
  std::vector<float> one, two;
  for (int t = 0; t < 2; ++t) {
    now[t].columns = columns + actions;
    past[t].columns = inputs;
    change[t].columns = columns;
    for (const size_t row : rows[t]) {
      const auto here = data.observations.floats(row, one), next = data.observations.floats(row + 1, two);
      const auto action = data.actions.row<float>(row), action_before = data.actions.row<float>(row - 1);
      for (size_t k = 0; k < columns; ++k) change[t].values.push_back(static_cast<double>(next[k]) - here[k]);
      for (auto* table : {&now[t], &past[t]}) {
        table->values.insert(table->values.end(), here.begin(), here.end());
        table->values.insert(table->values.end(), action.begin(), action.end());
      }
      // the step before, not the state before: a small difference of large numbers would drown
      const auto before = data.observations.floats(row - 1, two);
      for (size_t k = 0; k < columns; ++k) past[t].values.push_back(static_cast<double>(here[k]) - before[k]);
      past[t].values.insert(past[t].values.end(), action_before.begin(), action_before.end());
    }
  }
  normalize(change[0], change[1]);
  const auto alone = unexplained(now[0], now[1], change[0], change[1], params.features),
             with_past = unexplained(past[0], past[1], change[0], change[1], params.features);
  for (size_t k = 0; k < columns; ++k) {
    double moved = 0;
    for (size_t i = 0; i < change[1].rows(); ++i) moved += std::abs(change[1].row(i)[k]);
    if (moved == 0) continue;
    result.columns.push_back(k);
    result.now.push_back(alone[k]);
    result.with_past.push_back(std::min(alone[k], with_past[k]));
  }
  result.steps = rows[1].size();
  return result;
}

}  // namespace alps
