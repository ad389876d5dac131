#include "alps/run/regions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "alps/base/memory.h"
#include "alps/base/progress.h"
#include "alps/base/rng.h"
#include "alps/graph/kmeans.h"
#include "alps/plan/rollout.h"
#include "alps/run/embed_rows.h"
#include "alps/run/stretches.h"

namespace alps {

constexpr double kManyTraps = 0.25;  // share of the regions above which the map is cut again without them

int regions_within_reach(std::span<const float> psi, std::span<const float> later, size_t dim, int most) {
  constexpr double kShare = 0.4, kCovered = 0.95, kWhole = 0.75;
  constexpr int kLeast = 16;
  const size_t n = psi.size() / dim;
  if (n == 0) return kLeast;
  double sum = 0;
  for (size_t i = 0; i < n; ++i) sum += squared_distance(psi.subspan(i * dim, dim), later.subspan(i * dim, dim));
  const double reach = sum / static_cast<double>(n), radius = kShare * kShare * reach;  // squared
  double apart = 0;
  for (size_t i = 0; i < n; ++i)
    apart +=
        squared_distance(psi.subspan(i * dim, dim), psi.subspan((i + n / 2) % n * dim, dim)) / static_cast<double>(n);
  if (reach > kWhole * kWhole * apart) return kLeast;

  // a ball around a random state that none covers yet, until hardly any state is left
  Rng rng(0);
  std::vector<size_t> open(n);
  std::iota(open.begin(), open.end(), 0);
  int balls = 0;
  while (static_cast<double>(open.size()) > (1 - kCovered) * static_cast<double>(n) && balls < most) {
    const size_t center = open[rng.below(open.size())];
    std::erase_if(open, [&](size_t i) {
      return squared_distance(psi.subspan(i * dim, dim), psi.subspan(center * dim, dim)) <= radius;
    });
    ++balls;
  }
  return std::max(balls, kLeast);
}

ClusterGraph one_region(const Model& model, size_t rows) {
  ClusterGraph graph{.dim = model.eigenvectors()};
  graph.centers.assign(graph.dim, 0.0f);
  graph.sizes = {static_cast<int64_t>(rows)};
  graph.passages = {0};
  return graph;
}

namespace {

// the regions that some states of the data ask for, by how far those get in so many steps
int regions_for(const Model& model, const Dataset& data, int steps, int threads, int most = kMostRegions) {
  constexpr size_t kStates = 8192;
  const auto ahead = static_cast<size_t>(steps);
  const std::vector<size_t> here = starts_with(data, ahead, kStates);
  const Array from = embed_rows(model, data.observations, here, threads),
              to = embed_rows(model, data.observations, later(here, ahead), threads);
  return regions_within_reach(from.as<float>(), to.as<float>(), model.eigenvectors(), most);
}

// regions of even size, without the rows in traps: these lie far from everything in psi, and where many fall they would
// take most of the regions. Rows that are left move to the front of `psi`; labels (rows) are -1 for the others.
KMeansResult without_traps(std::span<float> psi, size_t dim, const KMeansParams& means, std::span<const int32_t> labels,
                           const std::vector<bool>& trap) {
  size_t left = 0;
  for (size_t row = 0; row < labels.size(); ++row)
    if (!trap[labels[row]]) std::ranges::copy(psi.subspan(row * dim, dim), psi.begin() + left++ * dim);
  KMeansResult found = even_kmeans(psi.first(left * dim), dim, means);
  std::vector<int32_t> spread(labels.size(), -1);
  left = 0;
  for (size_t row = 0; row < labels.size(); ++row)
    if (!trap[labels[row]]) spread[row] = found.labels[left++];
  found.labels = std::move(spread);
  return found;
}

// rows spread evenly over all, as many as may be held as psi
std::vector<size_t> even_sample(const std::vector<size_t>& rows, const Model& model, const RegionParams& params) {
  const size_t memory = params.memory ? params.memory : memory_for_states();
  const size_t most = std::max<size_t>(1, memory / (sizeof(float) * model.eigenvectors()));
  if (rows.size() <= most) return rows;
  if (params.say)
    params.say(str("psi of ", with_commas(rows.size()), " states would take more than ", bytes_text(memory),
                   ": regions are found on every ", rows.size() / most, "th of them"));
  std::vector<size_t> sample(most);
  for (size_t i = 0; i < most; ++i) sample[i] = rows[i * rows.size() / most];
  return sample;
}

// the region of every row, without psi of all of them at once
std::vector<int32_t> label_rows(const Model& model, const ObservationRows& observations, std::span<const size_t> rows,
                                std::span<const float> centers, int threads) {
  std::vector<int32_t> labels(rows.size());
  const size_t dim = model.eigenvectors();
  embed_blocks(model, observations, rows, threads, [&](size_t first, std::span<const float> psi) {
    nearest_centers(psi, dim, centers, std::span(labels).subspan(first, psi.size() / dim), {}, threads);
  });
  return labels;
}

// how far the data reach from the centres, in psi, and in each column; `sample` are rows whose psi is there
void measure_reach(ClusterGraph& graph, const Model& model, const Dataset& data, std::span<const size_t> sample,
                   std::span<const float> psi, int threads) {
  std::vector<int32_t> labels(sample.size());
  std::vector<float> squared(sample.size());
  nearest_centers(psi, graph.dim, graph.centers, labels, squared, threads);
  graph.radii.assign(graph.clusters(), 0.0f);
  for (size_t i = 0; i < sample.size(); ++i)
    graph.radii[labels[i]] = std::max(graph.radii[labels[i]], std::sqrt(std::max(0.0f, squared[i])));
  if (data.image()) return;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (auto* low : {&graph.low, &graph.reached_low}) low->assign(model.state_size(), kInfinity);
  for (auto* high : {&graph.high, &graph.reached_high}) high->assign(model.state_size(), -kInfinity);
  std::vector<float> buffer;
  size_t episode = 0;
  for (const size_t row : sample) {
    while (data.episodes[episode].last < row) ++episode;
    const bool reached = row > data.episodes[episode].first;
    const auto seen = data.observations.floats(row, buffer);
    for (size_t k = 0; k < seen.size(); ++k) {
      const float x = (seen[k] - model.mean[k]) / model.deviation[k];
      graph.low[k] = std::min(graph.low[k], x);
      graph.high[k] = std::max(graph.high[k], x);
      if (!reached) continue;
      graph.reached_low[k] = std::min(graph.reached_low[k], x);
      graph.reached_high[k] = std::max(graph.reached_high[k], x);
    }
  }
  // a sample of first rows only tells nothing
  if (!graph.reached_low.empty() && graph.reached_low[0] > graph.reached_high[0]) {
    graph.reached_low.clear();
    graph.reached_high.clear();
  }
}

}  // namespace

int steps_to_next_region(const Model& model, const Dataset& data, int threads) {
  constexpr int kTooMany = 4 * kMostRegions;  // in a plane, regions twice as far apart are a quarter
  size_t longest = 0;
  for (const Episode& e : data.episodes) longest = std::max(longest, e.last - e.first);
  double steps = RegionSettings{}.reach_steps;
  while (2 * std::numbers::sqrt2 * steps <= static_cast<double>(longest) &&
         regions_for(model, data, static_cast<int>(steps), threads, kTooMany) >= kTooMany)
    steps *= std::numbers::sqrt2;
  return static_cast<int>(steps);
}

ClusterGraph make_regions(const Model& model, const Dataset& data, const RegionParams& params) {
  // rows of the episodes, which may leave some out, and where each episode lies among them
  std::vector<size_t> rows;
  std::vector<std::pair<size_t, size_t>> episodes;
  for (const Episode& e : data.episodes) {
    episodes.emplace_back(rows.size(), rows.size() + e.last - e.first);
    for (size_t row = e.first; row <= e.last; ++row) rows.push_back(row);
  }
  const std::vector<size_t> sample = even_sample(rows, model, params);
  const bool whole = sample.size() == rows.size();
  Array psi = embed_rows(model, data.observations, sample, params.threads);
  const int clusters = params.settings.clusters > 0
                           ? params.settings.clusters
                           : regions_for(model, data, params.settings.reach_steps, params.threads);
  const KMeansParams means{.clusters = clusters, .seed = params.seed, .threads = params.threads};
  const bool even = params.settings.region_sizes == "even";
  KMeansResult regions = (even ? even_kmeans : kmeans)(psi.as<float>(), psi.row_size(), means);
  std::vector<int32_t> labels =
      whole ? regions.labels : label_rows(model, data.observations, rows, regions.centers, params.threads);
  // leaps among the rows that are left
  std::vector<size_t> leaps;
  for (const size_t leap : data.leaps)
    if (const auto row = std::ranges::lower_bound(rows, leap); row != rows.end() && *row == leap)
      leaps.push_back(row - rows.begin());
  const auto build = [&] {
    return build_cluster_graph(psi.row_size(), regions.centers, labels, episodes, params.top_p, leaps);
  };
  ClusterGraph graph = build();
  if (even && params.settings.drop_traps) {
    const std::vector<bool> trap = traps(graph);
    if (static_cast<double>(std::ranges::count(trap, true)) > kManyTraps * clusters) {
      regions = without_traps(psi.as<float>(), psi.row_size(), means, regions.labels, trap);
      std::vector<int32_t> again =
          whole ? regions.labels : label_rows(model, data.observations, rows, regions.centers, params.threads);
      for (size_t i = 0; i < labels.size(); ++i) labels[i] = trap[labels[i]] ? -1 : again[i];
      graph = build();
    }
  }
  measure_reach(graph, model, data, sample, psi.as<float>(), params.threads);
  return graph;
}

}  // namespace alps
