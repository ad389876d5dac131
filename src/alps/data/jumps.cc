#include "alps/data/jumps.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "alps/data/normalizer.h"

namespace alps {
namespace {

constexpr size_t kSample = 200'000;  // steps are plenty for a quantile
constexpr double kRare = 0.02;       // share of the steps that may be leaps
constexpr float kInfinity = std::numeric_limits<float>::infinity();

size_t steps_of(const std::vector<Episode>& episodes) {
  size_t steps = 0;
  for (const Episode& e : episodes) steps += e.last - e.first;
  return steps;
}

// every so many-th row that has a successor
std::vector<size_t> sampled_steps(const std::vector<Episode>& episodes) {
  const size_t stride = std::max<size_t>(1, steps_of(episodes) / kSample);
  std::vector<size_t> rows;
  for (const Episode& e : episodes)
    for (size_t row = e.first; row < e.last; row += stride) rows.push_back(row);
  return rows;
}

float quantile(std::vector<float>& values, size_t percent) {
  const auto at = values.begin() + static_cast<ptrdiff_t>(values.size() * percent / 100);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// rows after which some column changes by more than its limit
std::vector<size_t> rows_beyond(const ObservationRows& rows, const std::vector<Episode>& episodes,
                                const std::vector<float>& limits) {
  std::vector<size_t> columns;  // that can leap
  for (size_t k = 0; k < limits.size(); ++k)
    if (limits[k] < kInfinity) columns.push_back(k);
  std::vector<size_t> found;
  if (columns.empty()) return found;
  std::vector<float> one, two, before(limits.size());
  for (const Episode& e : episodes) {
    std::ranges::copy(rows.floats(e.first, one), before.begin());
    for (size_t row = e.first; row < e.last; ++row) {
      const auto after = rows.floats(row + 1, two);
      bool leap = false;
      for (const size_t k : columns) {
        leap |= std::abs(after[k] - before[k]) > limits[k];
        before[k] = after[k];
      }
      if (leap) found.push_back(row);
    }
  }
  return found;
}

}  // namespace

std::vector<ColumnMotion> column_motion(const ObservationRows& rows, const std::vector<Episode>& episodes) {
  ALPS_CHECK(!rows.image());
  std::vector<ColumnMotion> motion(rows.row_size());
  const std::vector<size_t> steps = sampled_steps(episodes);
  if (steps.empty()) return motion;
  // changes column by column; rows are read once each, for they may lie on disk
  std::vector<std::vector<float>> changes(motion.size(), std::vector<float>(steps.size()));
  NormalizerFit fit(motion.size());
  std::vector<float> one, two;
  for (size_t i = 0; i < steps.size(); ++i) {
    const auto here = rows.floats(steps[i], one), next = rows.floats(steps[i] + 1, two);
    for (size_t k = 0; k < motion.size(); ++k) changes[k][i] = std::abs(next[k] - here[k]);
    fit.add(here);
  }
  const Normalizer normalizer = fit.finish();
  for (size_t k = 0; k < motion.size(); ++k)
    motion[k] = {quantile(changes[k], 50), quantile(changes[k], 99), normalizer.deviation[k]};
  return motion;
}

Leaps find_leaps(const ObservationRows& rows, const std::vector<Episode>& episodes, double factor) {
  Leaps leaps;
  if (rows.image() || rows.empty()) return leaps;
  for (const ColumnMotion& motion : column_motion(rows, episodes))
    leaps.limits.push_back(motion.slow() ? static_cast<float>(factor) * motion.most : kInfinity);
  leaps.rows = rows_beyond(rows, episodes, leaps.limits);
  if (static_cast<double>(leaps.rows.size()) > kRare * static_cast<double>(steps_of(episodes))) leaps.rows.clear();
  return leaps;
}

std::vector<Episode> cut_after(const std::vector<Episode>& episodes, std::span<const size_t> rows) {
  std::vector<Episode> parts;
  auto cut = rows.begin();
  for (const Episode& episode : episodes) {
    size_t first = episode.first;
    while (cut != rows.end() && *cut < first) ++cut;
    for (; cut != rows.end() && *cut < episode.last; ++cut) {
      parts.push_back({first, *cut});
      first = *cut + 1;
    }
    parts.push_back({first, episode.last});
  }
  return parts;
}

Point2 leap_limit(const PlaceOf& place, const std::vector<Episode>& episodes) {
  std::vector<float> x, y;
  for (const size_t row : sampled_steps(episodes)) {
    const Point2 step = place(row + 1) - place(row);
    x.push_back(static_cast<float>(std::abs(step.x)));
    y.push_back(static_cast<float>(std::abs(step.y)));
  }
  const auto limit = [](std::vector<float>& changes) -> double {
    if (changes.empty() || !(quantile(changes, 50) > 0)) return kInfinity;
    return kLeapFactor * quantile(changes, 99);
  };
  return {limit(x), limit(y)};
}

std::vector<size_t> place_leaps(const PlaceOf& place, const std::vector<Episode>& episodes, Point2 limit) {
  std::vector<size_t> found;
  for (const Episode& e : episodes)
    for (size_t row = e.first; row < e.last; ++row)
      if (is_leap(place(row), place(row + 1), limit)) found.push_back(row);
  return found;
}

}  // namespace alps
