#include "alps/data/survey.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "alps/base/rng.h"
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

// means over a grid of kCells x kCells parts of an image, each channel by itself
constexpr size_t kCells = 4;
std::vector<double> coarse(std::span<const uint8_t> image, size_t height, size_t width, size_t channels) {
  std::vector<double> means(kCells * kCells * channels), count(kCells * kCells);
  for (size_t y = 0; y < height; ++y)
    for (size_t x = 0; x < width; ++x) {
      const size_t cell = y * kCells / height * kCells + x * kCells / width;
      for (size_t c = 0; c < channels; ++c) means[cell * channels + c] += image[(y * width + x) * channels + c];
      ++count[cell];
    }
  for (size_t i = 0; i < means.size(); ++i) means[i] /= std::max(1.0, count[i / channels]);
  return means;
}

struct Component {
  std::vector<double> direction;  // of unit length
  double variance = 0;
};

// the direction in which a symmetric matrix (n, n) stretches most, by powers of it
Component principal(const std::vector<double>& matrix, size_t n, Rng& rng) {
  constexpr int kPowers = 200;
  Component found{.direction = std::vector<double>(n)};
  for (double& x : found.direction) x = rng.normal();
  for (int i = 0; i < kPowers; ++i) {
    std::vector<double> next(n);
    for (size_t r = 0; r < n; ++r)
      for (size_t k = 0; k < n; ++k) next[r] += matrix[r * n + k] * found.direction[k];
    const double length = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.0));
    if (length <= 0) break;
    for (size_t k = 0; k < n; ++k) found.direction[k] = next[k] / length;
    found.variance = length;
  }
  return found;
}

// An image has no columns of its own, and most of its pixels change at edges that move: taken one by one they are as
// quick as the quickest limb. In their place stand the principal components of a coarse image, as many as hold most of
// its variance. The pace is that of the slowest.
void survey_images(const Array& pairs, Survey& result) {
  constexpr double kMost = 0.75;
  constexpr size_t kComponents = 8;
  const size_t n = pairs.rows() / 2;
  if (n == 0 || pairs.shape().size() != 4) return;
  const size_t height = pairs.shape()[1], width = pairs.shape()[2], channels = pairs.shape()[3];
  std::vector<std::vector<double>> here, change;
  for (size_t i = 0; i < n; ++i) {
    here.push_back(coarse(pairs.row<uint8_t>(2 * i), height, width, channels));
    change.push_back(coarse(pairs.row<uint8_t>(2 * i + 1), height, width, channels));
    for (size_t k = 0; k < here[i].size(); ++k) change[i][k] -= here[i][k];
  }
  const size_t m = here[0].size();
  std::vector<double> mean(m), spread(m * m);
  for (const auto& x : here)
    for (size_t k = 0; k < m; ++k) mean[k] += x[k] / static_cast<double>(n);
  double variance = 0, held = 0;
  for (const auto& x : here)
    for (size_t r = 0; r < m; ++r)
      for (size_t k = 0; k < m; ++k) spread[r * m + k] += (x[r] - mean[r]) * (x[k] - mean[k]) / static_cast<double>(n);
  for (size_t k = 0; k < m; ++k) variance += spread[k * m + k];

  Rng rng(0);
  for (size_t i = 0; i < kComponents && held < kMost * variance; ++i) {
    const Component c = principal(spread, m, rng);
    if (c.variance <= 1e-9 * variance) break;
    double moved = 0;
    for (const auto& x : change)
      moved += std::pow(std::inner_product(x.begin(), x.end(), c.direction.begin(), 0.0), 2) / static_cast<double>(n);
    const double pace = std::sqrt(moved / c.variance);
    result.pace = i == 0 ? pace : std::min(result.pace, pace);
    held += c.variance;
    for (size_t r = 0; r < m; ++r)
      for (size_t k = 0; k < m; ++k) spread[r * m + k] -= c.variance * c.direction[r] * c.direction[k];
  }
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
