#include "alps/data/jumps.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace alps {
namespace {

// for each column the change that counts as a jump; infinity where there is no ordinary motion to compare with
std::vector<float> thresholds(const Array& observations, const std::vector<Episode>& episodes, double factor) {
  constexpr size_t kSample = 200'000;  // steps are plenty for a quantile
  size_t steps = 0;
  for (const Episode& e : episodes) steps += e.last - e.first;
  const size_t stride = std::max<size_t>(1, steps / kSample);
  std::vector<size_t> rows;
  for (const Episode& e : episodes)
    for (size_t row = e.first; row < e.last; row += stride) rows.push_back(row);

  std::vector<float> limits(observations.row_size(), std::numeric_limits<float>::infinity());
  std::vector<float> changes(rows.size());
  for (size_t k = 0; k < limits.size() && !rows.empty(); ++k) {
    for (size_t i = 0; i < rows.size(); ++i)
      changes[i] = std::abs(observations.row<float>(rows[i] + 1)[k] - observations.row<float>(rows[i])[k]);
    const auto median = changes.begin() + changes.size() / 2, most = changes.begin() + changes.size() * 99 / 100;
    std::nth_element(changes.begin(), most, changes.end());
    const float ordinary = *most;
    std::nth_element(changes.begin(), median, changes.end());
    if (*median > 0) limits[k] = static_cast<float>(factor) * ordinary;
  }
  return limits;
}

}  // namespace

std::vector<Episode> split_at_jumps(const Array& observations, const std::vector<Episode>& episodes, double factor) {
  const std::vector<float> limits = thresholds(observations, episodes, factor);
  std::vector<Episode> parts;
  for (const Episode& episode : episodes) {
    size_t first = episode.first;
    for (size_t row = episode.first; row < episode.last; ++row) {
      const auto before = observations.row<float>(row), after = observations.row<float>(row + 1);
      bool jump = false;
      for (size_t k = 0; k < limits.size(); ++k) jump |= std::abs(after[k] - before[k]) > limits[k];
      if (!jump) continue;
      parts.push_back({first, row});
      first = row + 1;
    }
    parts.push_back({first, episode.last});
  }
  return parts;
}

}  // namespace alps
