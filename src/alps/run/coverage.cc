#include "alps/run/coverage.h"

#include <algorithm>
#include <functional>
#include <set>

#include "alps/data/check.h"
#include "alps/data/jumps.h"
#include "alps/graph/kmeans.h"

namespace alps {
namespace {

// positions, or all that changes where nothing moves slowly
std::vector<size_t> columns_of_places(const std::vector<ColumnMotion>& motion) {
  std::vector<size_t> slow, any;
  for (size_t k = 0; k < motion.size(); ++k) {
    if (motion[k].slow()) slow.push_back(k);
    if (motion[k].deviation > 0) any.push_back(k);
  }
  return slow.empty() ? any : slow;
}

}  // namespace

Coverage measure_coverage(const Dataset& data, int threads) {
  constexpr size_t kRows = 100'000, kCells = 256, kRowsOfCell = 100;
  Coverage result;
  if (data.image()) return result;
  const std::vector<ColumnMotion> motion = column_motion(data.observations, data.episodes);
  const std::vector<size_t> columns = columns_of_places(motion), rows = even_steps(data.episodes, kRows);
  if (columns.empty() || rows.empty()) return result;

  std::vector<float> places, buffer;
  std::vector<size_t> episode_of;
  size_t episode = 0;
  for (const size_t row : rows) {
    while (data.episodes[episode].last < row) ++episode;
    episode_of.push_back(episode);
    const auto state = data.observations.floats(row, buffer);
    for (const size_t k : columns) places.push_back(state[k] / motion[k].deviation);
  }
  result.columns = columns.size();
  result.cells = std::clamp<size_t>(rows.size() / kRowsOfCell, 1, kCells);
  const KMeansResult cut =
      even_kmeans(places, columns.size(), {.clusters = static_cast<int>(result.cells), .threads = threads});

  std::vector<std::set<size_t>> visitors(result.cells);
  std::vector<size_t> sizes(result.cells);
  for (size_t i = 0; i < rows.size(); ++i) {
    visitors[cut.labels[i]].insert(episode_of[i]);
    ++sizes[cut.labels[i]];
  }
  std::vector<size_t> counts;
  for (const auto& v : visitors)
    if (!v.empty()) counts.push_back(v.size());
  std::ranges::sort(counts);
  std::ranges::sort(sizes, std::greater<>());
  result.cells = counts.size();
  result.episodes = static_cast<double>(counts[counts.size() / 2]);
  result.lonely = static_cast<double>(std::ranges::count(counts, 1)) / static_cast<double>(counts.size());
  size_t busy = 0;
  const size_t tenth = std::max<size_t>(1, counts.size() / 10);
  for (size_t c = 0; c < tenth; ++c) busy += sizes[c];
  result.busiest = static_cast<double>(busy) / static_cast<double>(rows.size());
  return result;
}

}  // namespace alps
