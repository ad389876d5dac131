#include "alps/graph/cluster_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "alps/base/error.h"
#include "alps/base/expected_array.h"

namespace alps {

double ClusterGraph::length(size_t a, size_t b) const {
  double sum = 0;
  for (size_t j = 0; j < dim; ++j) {
    const double d = static_cast<double>(centers[a * dim + j]) - centers[b * dim + j];
    sum += d * d;
  }
  return std::sqrt(sum);
}

int ClusterGraph::nearest(std::span<const float> psi) const {
  int best = 0;
  double best_distance = std::numeric_limits<double>::max();
  for (size_t c = 0; c < clusters(); ++c) {
    double sum = 0;
    for (size_t j = 0; j < dim; ++j) {
      const double d = static_cast<double>(psi[j]) - centers[c * dim + j];
      sum += d * d;
    }
    if (sum < best_distance) {
      best_distance = sum;
      best = static_cast<int>(c);
    }
  }
  return best;
}

ClusterGraph build_cluster_graph(size_t dim, std::vector<float> centers, std::span<const int32_t> labels,
                                 std::span<const std::pair<size_t, size_t>> episodes, double top_p,
                                 std::span<const size_t> leaps) {
  const size_t k = centers.size() / dim;
  ClusterGraph graph{.dim = dim,
                     .top_p = top_p,
                     .centers = std::move(centers),
                     .sizes = std::vector<int64_t>(k),
                     .passages = std::vector<int64_t>(k * k),
                     .leaps = std::vector<int64_t>(k)};
  for (const int32_t label : labels)
    if (label >= 0) ++graph.sizes[label];
  for (const size_t row : leaps)
    if (labels[row] >= 0) ++graph.leaps[labels[row]];
  for (const auto& [first, last] : episodes)
    for (size_t row = first; row < last; ++row) {
      const int32_t from = labels[row], to = labels[row + 1];
      if (from != to && from >= 0 && to >= 0) ++graph.passages[from * k + to];
    }
  return graph;
}

std::vector<std::vector<int>> kept_neighbours(const ClusterGraph& graph, double top_p) {
  const size_t k = graph.clusters();
  auto both_ways = [&](size_t a, size_t b) { return graph.passages[a * k + b] + graph.passages[b * k + a]; };
  std::vector<std::vector<bool>> keep(k, std::vector<bool>(k));
  for (size_t a = 0; a < k; ++a) {
    std::vector<int> order;
    int64_t total = 0;
    for (size_t b = 0; b < k; ++b) {
      if (a == b || both_ways(a, b) == 0) continue;
      order.push_back(static_cast<int>(b));
      total += both_ways(a, b);
    }
    std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return both_ways(a, x) > both_ways(a, y); });
    int64_t covered = 0;
    for (const int b : order) {
      if (static_cast<double>(covered) >= top_p * static_cast<double>(total)) break;
      covered += both_ways(a, b);
      keep[a][b] = keep[b][a] = true;
    }
  }
  std::vector<std::vector<int>> neighbours(k);
  for (size_t a = 0; a < k; ++a)
    for (size_t b = 0; b < k; ++b)
      if (keep[a][b]) neighbours[a].push_back(static_cast<int>(b));
  return neighbours;
}

std::vector<std::vector<int>> travelled(const ClusterGraph& graph, std::vector<std::vector<int>> neighbours,
                                        double one_way) {
  const size_t k = graph.clusters();
  for (size_t a = 0; a < k; ++a)
    std::erase_if(neighbours[a], [&](size_t b) {
      const auto there = static_cast<double>(graph.passages[a * k + b]),
                 back = static_cast<double>(graph.passages[b * k + a]);
      return there < one_way * (there + back);
    });
  return neighbours;
}

namespace {

// into `way`, empty when there is none
void find_way(const ClusterGraph& graph, const std::vector<std::vector<int>>& neighbours, int from, int to,
              const Passages& closed, const std::vector<bool>& avoid, std::vector<int>& way) {
  // memory that the thread keeps
  using Entry = std::pair<double, int>;  // (length so far, cluster); ties go to the lower cluster
  thread_local std::vector<double> reach;
  thread_local std::vector<int> previous;
  thread_local std::vector<Entry> queue;  // a heap, the shortest first
  reach.assign(graph.clusters(), std::numeric_limits<double>::infinity());
  previous.assign(graph.clusters(), -1);
  // enough for every way, so that a later one finds no less room
  queue.reserve(4 * graph.clusters());
  way.reserve(graph.clusters());
  queue.assign(1, {0.0, from});
  reach[from] = 0;
  while (!queue.empty()) {
    std::ranges::pop_heap(queue, std::greater<>());
    const auto [length, at] = queue.back();
    queue.pop_back();
    if (length > reach[at]) continue;
    if (at == to) break;
    if (at != from && !avoid.empty() && avoid[at]) continue;
    for (const int next : neighbours[at]) {
      const double longer = length + graph.length(at, next);
      if (longer >= reach[next] || closed.contains(std::minmax(at, next))) continue;
      reach[next] = longer;
      previous[next] = at;
      queue.emplace_back(longer, next);
      std::ranges::push_heap(queue, std::greater<>());
    }
  }
  way.clear();
  if (std::isinf(reach[to])) return;
  for (int at = to; at != -1; at = previous[at]) way.push_back(at);
  std::reverse(way.begin(), way.end());
}

}  // namespace

std::vector<int> dijkstra(const ClusterGraph& graph, const std::vector<std::vector<int>>& neighbours, int from, int to,
                          const Passages& closed, const std::vector<bool>& avoid) {
  std::vector<int> way;
  find_way(graph, neighbours, from, to, closed, avoid, way);
  return way;
}

std::vector<bool> traps(const ClusterGraph& graph) {
  constexpr double kShare = 0.05;
  const size_t k = graph.clusters();
  std::vector<int64_t> through(k);
  for (size_t a = 0; a < k; ++a)
    for (size_t b = 0; b < k; ++b) through[a] += graph.passages[a * k + b] + graph.passages[b * k + a];
  // the median by states: there may be more traps than other regions
  std::vector<size_t> order(k);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](size_t a) { return through[a]; });
  const int64_t states = std::reduce(graph.sizes.begin(), graph.sizes.end());
  int64_t below = 0;
  const auto median = std::ranges::find_if(order, [&](size_t a) { return 2 * (below += graph.sizes[a]) >= states; });
  const double least = kShare * static_cast<double>(through[median == order.end() ? order.back() : *median]);
  std::vector<bool> found(k);
  for (size_t a = 0; a < k; ++a) found[a] = static_cast<double>(through[a]) < least;
  return found;
}

std::vector<bool> doors(const ClusterGraph& graph) {
  constexpr double kShare = 0.1;
  const size_t k = graph.clusters();
  std::vector<bool> found(k);
  for (size_t a = 0; a < k && !graph.leaps.empty(); ++a) {
    const int64_t on_foot = std::reduce(&graph.passages[a * k], &graph.passages[a * k] + k);
    found[a] = static_cast<double>(graph.leaps[a]) > kShare * static_cast<double>(on_foot + graph.leaps[a]);
  }
  return found;
}

Router::Router(const ClusterGraph& graph, const RouterParams& params) : graph_(graph) {
  const size_t k = graph.clusters();
  const std::vector<bool> trap = params.avoid_traps ? traps(graph) : std::vector<bool>(k);
  const std::vector<bool> door = params.avoid_doors ? doors(graph) : std::vector<bool>(k);
  if (params.avoid_traps) {
    avoid_.push_back(trap);
    for (size_t c = 0; c < k; ++c) avoid_[0][c] = trap[c] || door[c];
  }
  if (params.avoid_doors) avoid_.push_back(door);
  avoid_.emplace_back();
  std::vector<double> shares = {params.top_p};
  if (params.relax) shares.insert(shares.end(), {0.99, 0.999, 1.0});
  Levels both;
  for (const double top_p : shares)
    if (both.empty() || top_p > both.back().first) both.emplace_back(top_p, kept_neighbours(graph, top_p));
  if (params.one_way > 0) {
    levels_.emplace_back();
    for (const auto& [top_p, neighbours] : both)
      levels_[0].emplace_back(top_p, travelled(graph, neighbours, params.one_way));
  }
  levels_.push_back(std::move(both));
}

Route Router::route(int from, int to, const Passages& closed) const {
  Route best;
  route(from, to, closed, best);
  return best;
}

void Router::route(int from, int to, const Passages& closed, Route& best) const {
  thread_local Route own;
  Route& found = own;
  best.clusters.clear();
  best.length = best.top_p = 0;
  for (const Levels& levels : levels_)
    for (const std::vector<bool>& avoid : avoid_) {
      for (const auto& [top_p, neighbours] : levels) {
        find_way(graph_, neighbours, from, to, closed, avoid, found.clusters);
        if (found.clusters.empty()) continue;
        found.length = 0;
        found.top_p = top_p;
        for (size_t i = 1; i < found.clusters.size(); ++i)
          found.length += graph_.length(found.clusters[i - 1], found.clusters[i]);
        // round a closed passage a rare one near by is better than the grand tour
        if (best.clusters.empty() || found.length < best.length) std::swap(best, found);
        if (closed.empty()) return;
      }
      if (!best.clusters.empty()) return;
    }
}

void save_graph(const std::filesystem::path& path, const ClusterGraph& graph) {
  const size_t k = graph.clusters();
  NpzWriter out(path);
  out.add("centers", Array::of<float>({k, graph.dim}, graph.centers));
  out.add("sizes", Array::of<int64_t>({k}, graph.sizes));
  out.add("passages", Array::of<int64_t>({k, k}, graph.passages));
  if (!graph.leaps.empty()) out.add("leaps", Array::of<int64_t>({k}, graph.leaps));
  if (!graph.radii.empty()) out.add("radii", Array::of<float>({k}, graph.radii));
  if (!graph.low.empty()) {
    out.add("low", Array::of<float>({graph.low.size()}, graph.low));
    out.add("high", Array::of<float>({graph.high.size()}, graph.high));
  }
  if (!graph.reached_low.empty()) {
    out.add("reached_low", Array::of<float>({graph.reached_low.size()}, graph.reached_low));
    out.add("reached_high", Array::of<float>({graph.reached_high.size()}, graph.reached_high));
  }
  out.add("top_p", Array::of<double>({}, std::vector<double>{graph.top_p}));
  out.finish();
}

ClusterGraph load_graph(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path))
    throw Error(path.string(), ": the run has no cluster graph; make it with: alps train DATA --out ",
                path.parent_path().string(), " --resume");
  const NpzReader file(path);
  const auto read = [&](const char* key, DType dtype, size_t rank) {
    return expected_array(file, path, key, dtype, rank, "; make the graph again with alps train");
  };
  const Array centers = read("centers", DType::kFloat32, 2), sizes = read("sizes", DType::kInt64, 1),
              passages = read("passages", DType::kInt64, 2), top_p = read("top_p", DType::kFloat64, 0);
  const size_t k = sizes.rows();
  ClusterGraph graph{.dim = centers.row_size(),
                     .top_p = top_p.as<double>()[0],
                     .centers = copied(centers.as<float>()),
                     .sizes = copied(sizes.as<int64_t>()),
                     .passages = copied(passages.as<int64_t>()),
                     .leaps = {}};
  if (file.has("leaps")) {  // not in files of older versions
    const Array leaps = read("leaps", DType::kInt64, 1);
    graph.leaps = copied(leaps.as<int64_t>());
  }
  const auto floats = [&](const char* key) {
    if (!file.has(key)) return std::vector<float>{};  // not in files of older versions
    const Array values = read(key, DType::kFloat32, 1);
    return copied(values.as<float>());
  };
  graph.radii = floats("radii");
  graph.low = floats("low");
  graph.high = floats("high");
  graph.reached_low = floats("reached_low");
  graph.reached_high = floats("reached_high");
  const bool fits =
      k > 0 && (graph.radii.empty() || graph.radii.size() == k) && graph.low.size() == graph.high.size() &&
      (graph.reached_low.empty() || graph.reached_low.size() == graph.low.size()) &&
      graph.reached_low.size() == graph.reached_high.size() &&
      std::ranges::equal(graph.reached_low, graph.reached_high, std::less_equal()) && centers.rows() == k &&
      graph.dim > 0 && passages.shape() == Shape{k, k} && (graph.leaps.empty() || graph.leaps.size() == k);
  const auto finite = [](float x) { return std::isfinite(x); };
  const bool sane = std::ranges::all_of(graph.centers, finite) && std::ranges::all_of(graph.low, finite) &&
                    std::ranges::all_of(graph.high, finite) && std::ranges::all_of(graph.reached_low, finite) &&
                    std::ranges::all_of(graph.reached_high, finite) &&
                    std::ranges::all_of(graph.radii, [](float x) { return std::isfinite(x) && x >= 0; }) &&
                    std::ranges::all_of(graph.passages, [](int64_t x) { return x >= 0; }) && graph.top_p > 0 &&
                    graph.top_p <= 1;
  if (!fits || !sane)
    throw Error(path.string(), ": ", fits ? "values out of range" : "shapes do not fit each other",
                "; make the graph again with alps train");
  return graph;
}

}  // namespace alps
