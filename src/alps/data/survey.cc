#include "alps/data/survey.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "alps/data/factors.h"
#include "alps/data/jumps.h"
#include "alps/data/stillness.h"

namespace alps {
namespace {

using json = nlohmann::ordered_json;

constexpr size_t kSample = 200'000;    // transitions are plenty for these figures
constexpr double kAtLimit = 1 - 1e-6;  // an action this near its limit was clipped

// rows that have a successor in their episode, spread evenly over all of them; none of `without`, which ascends
std::vector<size_t> some_transitions(const std::vector<Episode>& episodes, const std::vector<size_t>& without) {
  size_t all = 0;
  for (const Episode& e : episodes) all += e.last - e.first;
  const size_t stride = std::max<size_t>(1, all / kSample);
  std::vector<size_t> rows;
  size_t number = 0;
  for (const Episode& e : episodes)
    for (size_t row = e.first; row < e.last; ++row)
      if (number++ % stride == 0 && !std::ranges::binary_search(without, row)) rows.push_back(row);
  return rows;
}

// solves m x = b for a symmetric positive definite m (n, n) by elimination; both are used up
std::vector<double> solve(std::vector<double> m, std::vector<double> b) {
  const size_t n = b.size();
  for (size_t i = 0; i < n; ++i)
    for (size_t r = i + 1; r < n; ++r) {
      const double factor = m[r * n + i] / m[i * n + i];
      for (size_t c = i; c < n; ++c) m[r * n + c] -= factor * m[i * n + c];
      b[r] -= factor * b[i];
    }
  for (size_t i = n; i-- > 0;) {
    for (size_t c = i + 1; c < n; ++c) b[i] -= m[i * n + c] * b[c];
    b[i] /= m[i * n + i];
  }
  return b;
}

// of one column's change y over the rows: the share of its variance that actions explain linearly
double explained(const Dataset& data, const std::vector<size_t>& rows, const std::vector<double>& y) {
  const size_t p = data.action_size() + 1;
  std::vector<double> moments(p * p, 0.0), product(p, 0.0), x(p, 1.0);
  double sum = 0, square = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto action = data.actions.row<float>(rows[i]);
    std::ranges::copy(action, x.begin());
    for (size_t a = 0; a < p; ++a) {
      product[a] += x[a] * y[i];
      for (size_t b = 0; b < p; ++b) moments[a * p + b] += x[a] * x[b];
    }
    sum += y[i];
    square += y[i] * y[i];
  }
  for (size_t a = 0; a < p; ++a) moments[a * p + a] += 1e-9 * static_cast<double>(rows.size());  // constant actions
  const std::vector<double> weight = solve(moments, product);
  double fit = 0;
  for (size_t a = 0; a < p; ++a) fit += weight[a] * product[a];
  const double n = static_cast<double>(rows.size()), variance = square - sum * sum / n;
  return variance > 0 ? std::clamp(1 - (square - fit) / variance, 0.0, 1.0) : 0;
}

void survey_states(const Dataset& data, Survey& result) {
  const std::vector<size_t> leaps = find_leaps(data.observations, data.episodes).rows,
                            rows = some_transitions(data.episodes, leaps);
  result.leaps = leaps.size();
  const std::vector<Episode> still = still_stretches(data.observations, data.episodes, kStill);
  result.still = still.size();
  result.left_again = share_left_again(still, data.episodes);
  result.factors = factors_text(find_factors(data.observations, data.episodes));
  result.pace = INFINITY;
  result.directness = 1;
  std::vector<double> change(rows.size());
  std::vector<float> one, two;
  for (size_t k = 0; k < data.observation_size(); ++k) {
    double sum = 0, square = 0, moved = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      const double here = data.observations.floats(rows[i], one)[k];
      change[i] = data.observations.floats(rows[i] + 1, two)[k] - here;
      sum += here;
      square += here * here;
      moved += change[i] * change[i];
    }
    const double n = static_cast<double>(rows.size()), variance = square / n - (sum / n) * (sum / n);
    if (!(variance > 1e-12) || moved == 0) continue;  // a column that never changes tells nothing
    result.pace = std::min(result.pace, std::sqrt(moved / n / variance));
    result.directness = std::min(result.directness, explained(data, rows, change));
  }
  if (!std::isfinite(result.pace)) result.pace = result.directness = 0;
}

void survey_images(const Array& pairs, Survey& result) {
  const size_t n = pairs.rows() / 2, pixels = pairs.row_size();
  std::vector<double> sum(pixels, 0.0), square(pixels, 0.0);
  double moved = 0, variance = 0;
  for (size_t i = 0; i < n; ++i) {
    const auto here = pairs.row<uint8_t>(2 * i), next = pairs.row<uint8_t>(2 * i + 1);
    for (size_t k = 0; k < pixels; ++k) {
      const double x = here[k], change = next[k] - x;
      sum[k] += x;
      square[k] += x * x;
      moved += change * change;
    }
  }
  const double count = static_cast<double>(std::max<size_t>(1, n));
  for (size_t k = 0; k < pixels; ++k) variance += square[k] / count - (sum[k] / count) * (sum[k] / count);
  result.pace = variance > 0 ? std::sqrt(moved / count / variance) : 0;
}

}  // namespace

ActionRange action_range(const Dataset& data) {
  constexpr float kOneSided = 0.25f;  // a middle as far from 0, in limits: a force to both sides is not that uneven
  constexpr float kFixed = 1e-6f;     // of a column that never changes
  const size_t columns = data.action_size();
  std::vector<float> low(columns, std::numeric_limits<float>::infinity()), high(columns, -low[0]);
  for (size_t row = 0; row < data.rows(); ++row) {
    const auto action = data.actions.row<float>(row);
    for (size_t k = 0; k < columns; ++k) {
      low[k] = std::min(low[k], action[k]);
      high[k] = std::max(high[k], action[k]);
    }
  }
  ActionRange range{std::vector<float>(columns), std::vector<float>(columns, 0.0f)};
  for (size_t k = 0; k < columns; ++k) {
    const float middle = (low[k] + high[k]) / 2, half = (high[k] - low[k]) / 2;
    const bool one_sided = std::abs(middle) > kOneSided * half;
    if (one_sided) range.middle[k] = middle;
    range.limit[k] = one_sided ? half : std::max(std::abs(low[k]), std::abs(high[k]));
    if (!(half > 0)) range.limit[k] = kFixed * std::max(1.0f, std::abs(middle));
  }
  return range;
}

double share_at_limit(const Dataset& data, const ActionRange& range) {
  std::vector<size_t> clipped(range.size(), 0), switched(range.size(), 0);
  for (size_t row = 0; row < data.rows(); ++row) {
    const auto action = data.actions.row<float>(row);
    for (size_t k = 0; k < action.size(); ++k) {
      const float unit = std::abs(range.to_unit(k, action[k]));
      clipped[k] += unit >= kAtLimit;
      switched[k] += unit >= kAtLimit && range.middle_of(k) != 0;
    }
  }
  size_t all = 0;
  for (size_t k = 0; k < range.size(); ++k)
    if (switched[k] < data.rows()) all += clipped[k];
  return static_cast<double>(all) / static_cast<double>(data.actions.size());
}

Survey survey(const Dataset& data, const Array& image_pairs) {
  Survey result{.rows = data.rows(),
                .episodes = data.episodes.size(),
                .columns = data.observation_size(),
                .actions = data.action_size(),
                .image = data.image(),
                .range = action_range(data)};
  for (const Episode& e : data.episodes) result.longest_episode = std::max(result.longest_episode, e.last - e.first);
  result.at_limit = share_at_limit(data, result.range);
  if (data.image())
    survey_images(image_pairs, result);
  else
    survey_states(data, result);
  return result;
}

std::string survey_json(const Survey& s) {
  json object{{"rows", s.rows},
              {"episodes", s.episodes},
              {"longest_episode", s.longest_episode},
              {"columns", s.columns},
              {"actions", s.actions},
              {"image", s.image},
              {"action_limit", s.range.limit},
              {"action_middle", s.range.middle},
              {"pace", s.pace},
              {"directness", s.directness},
              {"at_limit", s.at_limit},
              {"leaps", s.leaps},
              {"still", s.still},
              {"left_again", s.left_again}};
  if (s.factors != "none") object["factors"] = s.factors;
  return object.dump();
}

Survey survey_from_json(const std::string& text, const std::string& where) {
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) throw Error(where, ": the measurements of the data are not a JSON object");
  try {
    Survey s;
    object.at("rows").get_to(s.rows);
    object.at("episodes").get_to(s.episodes);
    object.at("longest_episode").get_to(s.longest_episode);
    object.at("columns").get_to(s.columns);
    object.at("actions").get_to(s.actions);
    object.at("image").get_to(s.image);
    object.at("action_limit").get_to(s.range.limit);
    s.range.middle = object.value("action_middle", s.range.middle);  // older versions: 0
    object.at("pace").get_to(s.pace);
    object.at("directness").get_to(s.directness);
    object.at("at_limit").get_to(s.at_limit);
    object.at("leaps").get_to(s.leaps);
    s.still = object.value("still", s.still);  // not known to older versions
    s.left_again = object.value("left_again", s.left_again);
    s.factors = object.value("factors", s.factors);
    return s;
  } catch (const json::exception& e) {
    throw Error(where, ": the measurements of the data are damaged: ", e.what());
  }
}

}  // namespace alps
