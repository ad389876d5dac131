#include "alps/show/state_sample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "alps/base/memory.h"
#include "alps/data/jumps.h"
#include "alps/graph/kmeans.h"
#include "alps/plan/rollout.h"
#include "alps/run/embed_rows.h"
#include "alps/world/env.h"

namespace alps {
namespace {

using Columns = std::array<size_t, 2>;

// after a teleport an observation lags behind qpos by one row, so that a few may differ
bool qpos_is_observed(const Dataset& data, std::span<const size_t> rows) {
  if (data.observations.row_size() < 2) return false;
  size_t same = 0;
  std::vector<float> buffer;
  for (const size_t row : rows) {
    const auto seen = data.observations.floats(row, buffer), place = data.qpos.row<float>(row);
    same += seen[0] == place[0] && seen[1] == place[1];
  }
  return 100 * same >= 99 * rows.size();
}

// the first two columns that move as positions do
std::optional<Columns> position_columns(const Dataset& data) {
  std::vector<size_t> slow;
  const std::vector<ColumnMotion> motion = column_motion(data.observations, data.episodes);
  for (size_t k = 0; k < motion.size(); ++k)
    if (motion[k].slow()) slow.push_back(k);
  if (slow.size() < 2) return std::nullopt;
  return Columns{slow[0], slow[1]};
}

// the place of a row, where the data show a plane
struct Plane {
  std::optional<Columns> observed;  // columns of the observation
  bool qpos = false;                // else the first two of qpos
  bool found() const { return observed || qpos; }
  std::string text() const {
    if (observed) return str("columns ", (*observed)[0] + 1, " and ", (*observed)[1] + 1, " of the observation");
    return "columns 1 and 2 of qpos";
  }
};

Plane find_plane(const Dataset& data, std::span<const size_t> rows, WorldPlane world) {
  Plane plane;
  const bool numbers = !data.image() && !data.observations.empty();
  if (world == WorldPlane::kUnknown && numbers) plane.observed = position_columns(data);
  if (world != WorldPlane::kPlanar) return plane;
  const bool has_qpos = data.qpos.size() > 0 && data.qpos.row_size() >= 2;
  if (numbers && data.observations.row_size() >= 2 && (!has_qpos || qpos_is_observed(data, rows)))
    plane.observed = Columns{0, 1};
  plane.qpos = has_qpos && !plane.observed;
  return plane;
}

// rows before and after each leap: where a walk begins that is no episode's first
std::vector<size_t> ends_of_leaps(const std::vector<Episode>& walks, const std::vector<Episode>& episodes,
                                  size_t rows) {
  std::vector<bool> starts(rows + 1, false);
  for (const Episode& e : episodes) starts[e.first] = true;
  std::vector<size_t> ends;
  for (const Episode& walk : walks)
    if (!starts[walk.first]) ends.insert(ends.end(), {walk.first - 1, walk.first});
  return ends;
}

double extent(const std::vector<Point2>& places) {
  Point2 low = places.front(), high = low;
  for (const Point2 p : places) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }
  return std::max(high.x - low.x, high.y - low.y);
}

// leaps whose ends lie next to each other are one door; the first gives it its clusters
void add_leap(std::vector<StateSample::Leap>& doors, double near, const StateSample::Leap& leap) {
  constexpr size_t kMost = 1000;
  const auto same = std::ranges::find_if(
      doors, [&](const auto& d) { return distance(d.from, leap.from) < near && distance(d.to, leap.to) < near; });
  if (same == doors.end()) {
    if (doors.size() < kMost) doors.push_back(leap);
    return;
  }
  const double share = 1.0 / static_cast<double>(++same->count);
  same->from = same->from + share * (leap.from - same->from);
  same->to = same->to + share * (leap.to - same->to);
  same->psi += share * (leap.psi - same->psi);
  for (size_t k = 0; k < leap.from_psi.size(); ++k)
    same->from_psi[k] += static_cast<float>(share) * (leap.from_psi[k] - same->from_psi[k]);
}

}  // namespace

WorldPlane plane_of(const Env* env) {
  if (env == nullptr) return WorldPlane::kUnknown;
  return env->planar() != nullptr ? WorldPlane::kPlanar : WorldPlane::kNone;
}

std::vector<float> StateSample::observation(size_t i) const {
  if (observations.dtype() == DType::kFloat32)
    return {observations.row<float>(i).begin(), observations.row<float>(i).end()};
  return {observations.row<uint8_t>(i).begin(), observations.row<uint8_t>(i).end()};
}

size_t StateSample::nearest(Point2 place) const {
  return std::ranges::min_element(places, {}, [&](Point2 p) { return distance(place, p); }) - places.begin();
}

size_t StateSample::nearest(std::span<const float> z) const {
  size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < size(); ++i)
    if (const double d = squared_distance(psi.row<float>(i), z); d < least) {
      least = d;
      best = i;
    }
  return best;
}

std::vector<size_t> StateSample::nodes(const ClusterGraph& graph) const {
  const size_t k = graph.clusters();
  std::vector<Point2> sums(k);
  std::vector<size_t> counts(k), best(k, size());
  for (size_t i = 0; i < places.size(); ++i) {
    sums[labels[i]] = sums[labels[i]] + places[i];
    ++counts[labels[i]];
  }
  // the state nearest to the mean place, so that a node never stands in a wall; without places, to the centre in psi
  std::vector<double> least(k, std::numeric_limits<double>::infinity());
  for (size_t i = 0; i < size(); ++i) {
    const size_t c = labels[i];
    const double d = places.empty() ? squared_distance(psi.row<float>(i), graph.center(c))
                                    : distance(places[i], (1.0 / static_cast<double>(counts[c])) * sums[c]);
    if (d >= least[c]) continue;
    least[c] = d;
    best[c] = i;
  }
  return best;
}

Dataset load_for_sample(const std::filesystem::path& path, const Model& model, int threads) {
  return load_dataset(path, {.observations = model.trunk.empty(), .threads = threads});
}

StateSample sample_states(const Dataset& data, const Model& model, const ClusterGraph* graph,
                          const StateSampleParams& params) {
  StateSample sample;
  // images that are not open yet are held while they are looked at, and keep the memory rule too
  const size_t fit = data.image() ? std::max<size_t>(1, memory_for_data() / data.observation_size()) : params.states;
  const size_t n = std::min({params.states, data.rows(), fit});
  for (size_t i = 0; i < n; ++i) sample.rows.push_back(i * data.rows() / n);
  const ObservationRows seen =
      data.observations.empty() ? ObservationRows::open(data.path, {.only = sample.rows}) : data.observations;
  const bool embedded = !model.representation.empty();
  if (embedded) sample.psi = embed_rows(model, seen, sample.rows, params.threads);
  if (params.keep_observations) sample.observations = seen.chosen(sample.rows);
  const auto labels_of = [&](const Array& psi) {
    std::vector<int32_t> labels(graph != nullptr && embedded ? psi.rows() : 0);
    if (!labels.empty()) nearest_centers(psi.as<float>(), psi.row_size(), graph->centers, labels, {}, params.threads);
    return labels;
  };
  sample.labels = labels_of(sample.psi);

  const Plane plane = find_plane(data, sample.rows, params.world);
  if (!plane.found()) {
    for (size_t i = 0; i < n && params.psi_plane && embedded; ++i) {
      const auto psi = std::as_const(sample.psi).row<float>(i);
      sample.places.push_back({psi[0], psi.size() > 1 ? psi[1] : 0.0});
      sample.plane = "columns 1 and 2 of psi";
    }
    return sample;
  }
  sample.plane = plane.text();
  sample.place_columns = plane.observed;
  std::vector<float> buffer;
  const auto place = [&](size_t row) -> Point2 {
    if (!plane.observed) return {data.qpos.row<float>(row)[0], data.qpos.row<float>(row)[1]};
    const auto at = data.observations.floats(row, buffer);
    return {at[(*plane.observed)[0]], at[(*plane.observed)[1]]};
  };
  for (const size_t row : sample.rows) sample.places.push_back(place(row));
  sample.leap = leap_limit(place, data.episodes);
  if (data.image()) return sample;

  // a teleported agent sees its new place one row after qpos has it, and psi is asked about what is seen
  sample.walks = cut_after(data.episodes, place_leaps(place, data.episodes, sample.leap));
  const std::vector<size_t> ends = ends_of_leaps(sample.walks, data.episodes, data.rows());
  if (ends.empty()) return sample;
  sample.leap_count = ends.size() / 2;
  const Array psi = embedded ? embed_rows(model, data.observations, ends, params.threads) : Array();
  const std::vector<int32_t> labels = labels_of(psi);
  const double near = 0.08 * extent(sample.places);
  for (size_t i = 0; i < ends.size(); i += 2) {
    StateSample::Leap leap{.from = place(ends[i]), .to = place(ends[i + 1]), .count = 1};
    if (!labels.empty()) {
      leap.from_cluster = labels[i];
      leap.to_cluster = labels[i + 1];
    }
    if (embedded) {
      const auto before = psi.row<float>(i), after = psi.row<float>(i + 1);
      leap.psi = std::sqrt(squared_distance(before, after));
      leap.from_psi.assign(before.begin(), before.end());
    }
    add_leap(sample.leaps, near, leap);
  }
  std::ranges::stable_sort(sample.leaps, std::greater(), &StateSample::Leap::count);
  sample.leaps.resize(std::min(sample.leaps.size(), params.most_leaps));
  return sample;
}

}  // namespace alps
