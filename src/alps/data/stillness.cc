#include "alps/data/stillness.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "alps/data/normalizer.h"

namespace alps {
namespace {

constexpr size_t kWindow = 50;  // steps
constexpr size_t kStride = 5;   // between windows, and between the rows of a window that are looked at

// what the state covers in the window that starts at a row
float extent(const ObservationRows& observations, const Normalizer& normalizer, size_t first) {
  const size_t size = observations.row_size();
  float sum = 0;
  std::vector<float> buffer;
  std::vector<float> least(size, std::numeric_limits<float>::infinity()), most(size, -least[0]);
  for (size_t row = first; row <= first + kWindow; row += kStride) {
    const auto x = observations.floats(row, buffer);
    for (size_t k = 0; k < size; ++k) {
      least[k] = std::min(least[k], x[k]);
      most[k] = std::max(most[k], x[k]);
    }
  }
  for (size_t k = 0; k < size; ++k) {
    const float range = (most[k] - least[k]) / normalizer.deviation[k];
    sum += range * range;
  }
  return std::sqrt(sum);
}

Normalizer deviations(const ObservationRows& observations, const std::vector<Episode>& episodes) {
  constexpr size_t kSample = 200'000;
  NormalizerFit fit(observations.row_size());
  std::vector<float> buffer;
  size_t rows = 0, seen = 0;
  for (const Episode& e : episodes) rows += e.last + 1 - e.first;
  const size_t stride = std::max<size_t>(1, rows / kSample);
  for (const Episode& e : episodes)
    for (size_t row = e.first; row <= e.last; ++row)
      if (seen++ % stride == 0) fit.add(observations.floats(row, buffer));
  return fit.finish();
}

}  // namespace

std::vector<Episode> still_stretches(const ObservationRows& observations, const std::vector<Episode>& episodes,
                                     double share) {
  const Normalizer normalizer = deviations(observations, episodes);
  std::vector<std::pair<size_t, float>> windows;  // first row, extent
  for (const Episode& e : episodes)
    for (size_t row = e.first; row + kWindow <= e.last; row += kStride) {
      const size_t first = row + kStride + kWindow > e.last ? e.last - kWindow : row;  // the last one ends at the end
      windows.emplace_back(first, extent(observations, normalizer, first));
    }
  if (windows.empty()) return {};
  std::vector<float> sorted;
  for (const auto& [row, covered] : windows) sorted.push_back(covered);
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<ptrdiff_t>(sorted.size() / 2), sorted.end());
  const float bound = static_cast<float>(share) * sorted[sorted.size() / 2];

  // windows that overlap are one stretch, but not over the end of an episode
  std::vector<Episode> stretches;
  auto window = windows.begin();
  for (const Episode& e : episodes)
    for (bool first = true; window != windows.end() && window->first <= e.last; ++window) {
      if (window->second >= bound) continue;
      if (!first && window->first <= stretches.back().last + 1)
        stretches.back().last = window->first + kWindow;
      else
        stretches.push_back({window->first, window->first + kWindow});
      first = false;
    }
  return stretches;
}

std::vector<Episode> leave_out(const std::vector<Episode>& stretches, const std::vector<Episode>& episodes) {
  std::vector<Episode> left;
  auto stretch = stretches.begin();
  for (const Episode& e : episodes) {
    size_t first = e.first;
    for (; stretch != stretches.end() && stretch->first <= e.last; ++stretch) {
      if (stretch->first > first) left.push_back({first, stretch->first - 1});
      first = stretch->last + 1;
    }
    if (first <= e.last) left.push_back({first, e.last});
  }
  return left;
}

std::vector<Episode> leave_out_still(const ObservationRows& observations, const std::vector<Episode>& episodes,
                                     double share) {
  return leave_out(still_stretches(observations, episodes, share), episodes);
}

double share_left_again(const std::vector<Episode>& stretches, const std::vector<Episode>& episodes) {
  if (stretches.empty()) return 1;
  size_t to_the_end = 0;
  for (const Episode& s : stretches) to_the_end += std::ranges::binary_search(episodes, s.last, {}, &Episode::last);
  return 1 - static_cast<double>(to_the_end) / static_cast<double>(stretches.size());
}

}  // namespace alps
