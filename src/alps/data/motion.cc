#include "alps/data/motion.h"

#include <cmath>

#include "alps/data/factors.h"

namespace alps {

Motion motion_of(const ObservationRows& observations, const std::vector<Episode>& episodes,
                 std::span<const size_t> columns) {
  Motion motion{.columns = std::vector<ColumnSteps>(columns.size()), .parts = {}};
  size_t rows = 0;
  for (const Episode& e : episodes) {
    motion.parts.push_back({rows, rows + e.last - e.first});
    rows += e.rows();
  }
  for (ColumnSteps& c : motion.columns) c.values.reserve(rows);
  std::vector<float> buffer;
  for (const Episode& e : episodes)
    for (size_t row = e.first; row <= e.last; ++row) {
      const auto x = observations.floats(row, buffer);
      for (size_t i = 0; i < columns.size(); ++i) motion.columns[i].values.push_back(x[columns[i]]);
    }

  for (ColumnSteps& c : motion.columns) {
    double sum = 0, square = 0, change = 0;
    size_t steps = 0;
    for (const Episode& e : motion.parts)
      for (size_t row = e.first; row <= e.last; ++row) {
        const double x = c.values[row];
        sum += x;
        square += x * x;
        if (row == e.last) continue;
        change += (c.values[row + 1] - x) * (c.values[row + 1] - x);
        ++steps;
      }
    const double n = static_cast<double>(rows), mean = sum / n;
    c.deviation = static_cast<float>(std::sqrt(std::max(0.0, square / n - mean * mean)));
    c.rest = kRestChange * static_cast<float>(std::sqrt(change / static_cast<double>(std::max<size_t>(1, steps))));
    c.moving.assign(rows, 0);
    for (const Episode& e : motion.parts)
      for (size_t row = e.first; row < e.last; ++row)
        c.moving[row] = std::abs(c.values[row + 1] - c.values[row]) > c.rest;
  }
  return motion;
}

std::vector<Episode> rests(std::span<const uint8_t> moving, const std::vector<Episode>& parts, size_t least) {
  std::vector<Episode> found;
  for (const Episode& e : parts) {
    size_t first = e.first;
    for (size_t row = e.first; row <= e.last; ++row) {
      if (row < e.last && !moving[row]) continue;
      if (row - first >= least) found.push_back({first, row});
      first = row + 1;
    }
  }
  return found;
}

}  // namespace alps
