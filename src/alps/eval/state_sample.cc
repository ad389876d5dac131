#include "alps/eval/state_sample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "alps/base/interrupt.h"
#include "alps/base/npz.h"
#include "alps/data/jumps.h"
#include "alps/eval/regions.h"
#include "alps/graph/kmeans.h"
#include "alps/plan/rollout.h"

namespace alps {
namespace {

// images are passed over in one stream, and only the chosen rows are kept
Array read_rows(const std::filesystem::path& path, std::span<const size_t> rows) {
  const NpzReader file(path);
  const auto stream = file.stream("observations");
  Shape shape = stream->info().shape;
  const size_t row_bytes = stream->info().byte_size() / shape[0];
  shape[0] = rows.size();
  Array chosen(stream->info().dtype, shape);
  std::vector<std::byte> row(row_bytes);
  size_t at = 0;
  for (size_t i = 0; i < rows.size(); ++i)
    for (; at <= rows[i]; ++at) {
      throw_if_interrupted();
      stream->read(row);
      if (at == rows[i]) std::ranges::copy(row, chosen.bytes().begin() + i * row_bytes);
    }
  return chosen;
}

Array pick_rows(const Array& from, std::span<const size_t> rows) {
  Array chosen(DType::kFloat32, {rows.size(), from.row_size()});
  for (size_t i = 0; i < rows.size(); ++i)
    std::ranges::copy(from.row<float>(rows[i]), chosen.as<float>().begin() + i * from.row_size());
  return chosen;
}

// after a teleport an observation lags behind qpos by one row, so that a few may differ
bool places_are_observed(const Dataset& data, std::span<const size_t> rows) {
  if (data.observations.row_size() < 2) return false;
  if (data.qpos.size() == 0) return true;
  if (data.qpos.row_size() < 2) return false;
  size_t same = 0;
  for (const size_t row : rows) {
    const auto seen = data.observations.row<float>(row), place = data.qpos.row<float>(row);
    same += seen[0] == place[0] && seen[1] == place[1];
  }
  return 100 * same >= 99 * rows.size();
}

// the episodes, cut at leaps of the place
std::vector<Episode> find_walks(const Array& where, const std::vector<Episode>& episodes, double factor) {
  Array places(DType::kFloat32, {where.rows(), 2});
  for (size_t i = 0; i < where.rows(); ++i) std::copy_n(where.row<float>(i).begin(), 2, &places.as<float>()[2 * i]);
  return split_at_jumps(places, episodes, factor);
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

StateSample sample_states(const Dataset& data, const Model& model, const ClusterGraph& graph,
                          const StateSampleParams& params) {
  const bool image = !model.trunk.empty();
  StateSample sample;
  const size_t n = std::min(params.states, data.rows());
  for (size_t i = 0; i < n; ++i) sample.rows.push_back(i * data.rows() / n);
  if (params.keep_observations) {
    sample.observations = image ? read_rows(data.path, sample.rows) : pick_rows(data.observations, sample.rows);
    sample.psi = embed(model, sample.observations, params.threads);
  } else {
    sample.psi = embed_rows(model, data, sample.rows, params.threads);
  }
  sample.labels.resize(n);
  const auto label = [&](const Array& psi, std::span<int32_t> labels) {
    nearest_centers(psi.as<float>(), psi.row_size(), graph.centers, labels, {}, params.threads);
  };
  label(sample.psi, sample.labels);

  // places: the first two numbers that are seen, unless the data say that these are something else
  sample.place_is_observed = !image && places_are_observed(data, sample.rows);
  const Array& where = sample.place_is_observed ? data.observations : data.qpos;
  if (where.size() == 0 || where.row_size() < 2 || where.dtype() != DType::kFloat32) {
    for (size_t i = 0; i < n && params.psi_plane; ++i) {
      const auto psi = std::as_const(sample.psi).row<float>(i);
      sample.places.push_back({psi[0], psi.size() > 1 ? psi[1] : 0.0});
      sample.plane = "columns 1 and 2 of psi";
    }
    return sample;
  }
  sample.plane = sample.place_is_observed ? "columns 1 and 2 of the observation" : "columns 1 and 2 of qpos";
  for (const size_t row : sample.rows) sample.places.push_back({where.row<float>(row)[0], where.row<float>(row)[1]});
  if (image) return sample;

  // a teleported agent sees its new place one row after qpos has it, and psi is asked about what is seen
  sample.walks = find_walks(where, data.episodes, params.leap_factor);
  const std::vector<size_t> ends = ends_of_leaps(sample.walks, data.episodes, data.rows());
  if (ends.empty()) return sample;
  sample.leap_count = ends.size() / 2;
  const Array psi = embed(model, pick_rows(data.observations, ends), params.threads);
  std::vector<int32_t> labels(ends.size());
  label(psi, labels);
  const double near = 0.08 * extent(sample.places);
  for (size_t i = 0; i < ends.size(); i += 2) {
    const auto from = where.row<float>(ends[i]), to = where.row<float>(ends[i + 1]);
    const auto before = psi.row<float>(i), after = psi.row<float>(i + 1);
    add_leap(sample.leaps, near,
             {.from = {from[0], from[1]},
              .to = {to[0], to[1]},
              .from_cluster = labels[i],
              .to_cluster = labels[i + 1],
              .count = 1,
              .psi = std::sqrt(squared_distance(before, after)),
              .from_psi = {before.begin(), before.end()}});
  }
  std::ranges::stable_sort(sample.leaps, std::greater(), &StateSample::Leap::count);
  sample.leaps.resize(std::min(sample.leaps.size(), params.most_leaps));
  return sample;
}

}  // namespace alps
