#include "alps/graph/waypoint_graph.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "alps/base/error.h"
#include "alps/base/expected_array.h"
#include "alps/base/threads.h"
#include "alps/graph/kmeans.h"

namespace alps {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

double squared(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (size_t k = 0; k < a.size(); ++k) {
    const double d = static_cast<double>(a[k]) - b[k];
    sum += d * d;
  }
  return sum;
}

double distance(std::span<const float> a, std::span<const float> b) { return std::sqrt(squared(a, b)); }

}  // namespace

void WaypointMaker::add(std::span<const float> rows, int threads) {
  constexpr size_t kBlock = 4096;  // rows that are compared at once with the waypoints of before
  const auto radius = static_cast<float>(radius_ * radius_);
  std::vector<int32_t> nearest;
  std::vector<float> far;
  for (size_t begin = 0; begin < rows.size(); begin += kBlock * dim_) {
    const auto block = rows.subspan(begin, std::min(kBlock * dim_, rows.size() - begin));
    const size_t n = block.size() / dim_, before = size();
    nearest.assign(n, -1);
    far.assign(n, std::numeric_limits<float>::max());
    if (before > 0) nearest_centers(block, dim_, first_, nearest, far, threads);
    for (size_t i = 0; i < n; ++i) {
      // and with those that rows of this block began
      const auto row = block.subspan(i * dim_, dim_);
      for (size_t c = before; c < size(); ++c)
        if (const auto d = static_cast<float>(squared(row, std::span(first_).subspan(c * dim_, dim_))); d < far[i]) {
          far[i] = d;
          nearest[i] = static_cast<int32_t>(c);
        }
      if (far[i] > radius) {
        nearest[i] = static_cast<int32_t>(size());
        first_.insert(first_.end(), row.begin(), row.end());
        sums_.resize(sums_.size() + dim_);
        counts_.push_back(0);
      }
      ++counts_[nearest[i]];
      for (size_t k = 0; k < dim_; ++k) sums_[nearest[i] * dim_ + k] += row[k];
    }
  }
}

std::vector<float> WaypointMaker::means() const {
  std::vector<float> means(sums_.size());
  for (size_t i = 0; i < means.size(); ++i)
    means[i] = static_cast<float>(sums_[i] / static_cast<double>(counts_[i / dim_]));
  return means;
}

namespace {

using Lists = std::vector<std::vector<int32_t>>;

// all that can be reached from a waypoint, with its number in `part`
void fill_part(const Lists& joined, int32_t from, int32_t number, std::vector<int32_t>& part) {
  std::vector<int32_t> open = {from};
  part[from] = number;
  while (!open.empty()) {
    const int32_t at = open.back();
    open.pop_back();
    for (const int32_t next : joined[at])
      if (part[next] < 0) {
        part[next] = number;
        open.push_back(next);
      }
  }
}

// joins the parts of the graph one after the other, each time the part that comes nearest to what is joined already
void join_parts(const WaypointGraph& graph, Lists& joined) {
  const size_t n = graph.size();
  std::vector<int32_t> part(n, -1);
  int32_t parts = 0;
  for (size_t i = 0; i < n; ++i)
    if (part[i] < 0) fill_part(joined, static_cast<int32_t>(i), parts++, part);

  std::vector<double> least(n, kInfinite);  // squared, to what is joined already
  std::vector<int32_t> by(n, -1);
  std::vector<bool> inside(n);
  for (int32_t newest = 0, done = 1;; ++done) {
    std::vector<size_t> added;
    for (size_t i = 0; i < n; ++i)
      if (part[i] == newest) {
        inside[i] = true;
        added.push_back(i);
      }
    if (done == parts) return;
    size_t nearest = n;
    for (size_t j = 0; j < n; ++j) {
      if (inside[j]) continue;
      for (const size_t i : added)
        if (const double d = squared(graph.node(i), graph.node(j)); d < least[j]) {
          least[j] = d;
          by[j] = static_cast<int32_t>(i);
        }
      if (nearest == n || least[j] < least[nearest]) nearest = j;
    }
    joined[nearest].push_back(by[nearest]);
    joined[by[nearest]].push_back(static_cast<int32_t>(nearest));
    newest = part[nearest];
  }
}

}  // namespace

WaypointGraph join_waypoints(size_t dim, std::vector<float> nodes, double reach, int threads) {
  WaypointGraph graph{.dim = dim, .reach = reach, .nodes = std::move(nodes), .starts = {}, .neighbours = {}};
  const size_t n = graph.size();
  ALPS_CHECK(n > 0 && graph.nodes.size() == n * dim);
  Lists joined(n);
  parallel_for(n, threads, [&](size_t i) {
    for (size_t j = 0; j < n; ++j)
      if (i != j && squared(graph.node(i), graph.node(j)) <= reach * reach)
        joined[i].push_back(static_cast<int32_t>(j));
  });
  join_parts(graph, joined);
  graph.starts.push_back(0);
  for (const auto& list : joined) {
    graph.neighbours.insert(graph.neighbours.end(), list.begin(), list.end());
    graph.starts.push_back(static_cast<int32_t>(graph.neighbours.size()));
  }
  return graph;
}

WaysTo::WaysTo(const WaypointGraph& graph, std::span<const float> goal)
    : lengths_(graph.size(), kInfinite), next_(graph.size(), -1) {
  constexpr double kAsNear = 1.2;  // as the nearest: joined to the goal too, if none is within reach
  std::vector<double> to_goal(graph.size());
  for (size_t i = 0; i < graph.size(); ++i) to_goal[i] = distance(graph.node(i), goal);
  const double within = std::max(graph.reach, kAsNear * std::ranges::min(to_goal));

  // from the goal outwards; ties go to the lower number
  using Entry = std::pair<double, int>;
  std::vector<Entry> open;  // a heap, the shortest first
  const auto offer = [&](int at, double length, int next) {
    if (length >= lengths_[at]) return;
    lengths_[at] = length;
    next_[at] = next;
    open.emplace_back(length, at);
    std::ranges::push_heap(open, std::greater<>());
  };
  for (size_t i = 0; i < graph.size(); ++i)
    if (to_goal[i] <= within) offer(static_cast<int>(i), to_goal[i], -1);
  while (!open.empty()) {
    std::ranges::pop_heap(open, std::greater<>());
    const auto [length, at] = open.back();
    open.pop_back();
    if (length > lengths_[at]) continue;
    for (int32_t k = graph.starts[at]; k < graph.starts[at + 1]; ++k) {
      const int32_t other = graph.neighbours[k];
      offer(other, length + distance(graph.node(at), graph.node(other)), at);
    }
  }
}

std::optional<int> WaysTo::begin(const WaypointGraph& graph, std::span<const float> at, bool nearest) const {
  double shortest = kInfinite, least = kInfinite;
  int best = -1, closest = -1;
  for (size_t i = 0; i < graph.size(); ++i) {
    const double d = distance(graph.node(i), at);
    if (d <= graph.reach && d + lengths_[i] < shortest) {
      shortest = d + lengths_[i];
      best = static_cast<int>(i);
    }
    if (d < least) {
      least = d;
      closest = static_cast<int>(i);
    }
  }
  if (best < 0 && nearest) best = closest;
  return best < 0 ? std::nullopt : std::optional(best);
}

std::vector<int> WaysTo::way(int from) const {
  std::vector<int> way;
  for (int at = from; at >= 0; at = next_[at]) way.push_back(at);
  return way;
}

void save_waypoints(const std::filesystem::path& path, const WaypointGraph& graph) {
  NpzWriter out(path);
  out.add("nodes", Array::of<float>({graph.size(), graph.dim}, graph.nodes));
  out.add("starts", Array::of<int32_t>({graph.starts.size()}, graph.starts));
  out.add("neighbours", Array::of<int32_t>({graph.neighbours.size()}, graph.neighbours));
  out.add("reach", Array::of<double>({}, std::vector<double>{graph.reach}));
  out.finish();
}

WaypointGraph load_waypoints(const std::filesystem::path& path) {
  const std::string remedy = "; make the waypoints again with alps train";
  if (!std::filesystem::exists(path)) throw Error(path.string(), ": no such file", remedy);
  const NpzReader file(path);
  const auto read = [&](const char* key, DType dtype, size_t rank) {
    return expected_array(file, path, key, dtype, rank, remedy);
  };
  const Array nodes = read("nodes", DType::kFloat32, 2), starts = read("starts", DType::kInt32, 1),
              neighbours = read("neighbours", DType::kInt32, 1), reach = read("reach", DType::kFloat64, 0);
  const WaypointGraph graph{.dim = nodes.row_size(),
                            .reach = reach.as<double>()[0],
                            .nodes = copied(nodes.as<float>()),
                            .starts = copied(starts.as<int32_t>()),
                            .neighbours = copied(neighbours.as<int32_t>())};
  const auto n = static_cast<int32_t>(nodes.rows());
  const bool fits = n > 0 && graph.dim > 0 && graph.starts.size() == nodes.rows() + 1 && graph.starts.front() == 0 &&
                    std::ranges::is_sorted(graph.starts) &&
                    static_cast<size_t>(graph.starts.back()) == graph.neighbours.size();
  const bool sane = std::ranges::all_of(graph.nodes, [](float x) { return std::isfinite(x); }) &&
                    std::ranges::all_of(graph.neighbours, [&](int32_t x) { return x >= 0 && x < n; }) &&
                    std::isfinite(graph.reach) && graph.reach > 0;
  if (!fits || !sane)
    throw Error(path.string(), ": ", fits ? "values out of range" : "shapes do not fit each other", remedy);
  return graph;
}

}  // namespace alps
