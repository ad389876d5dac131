#include "alps/eval/state_sample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "alps/base/interrupt.h"
#include "alps/base/npz.h"
#include "alps/data/jumps.h"
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

// ends of the steps that are leaps of the place, rows before and after
std::vector<size_t> find_leaps(const Array& where, const std::vector<Episode>& episodes, double factor) {
  Array places(DType::kFloat32, {where.rows(), 2});
  for (size_t i = 0; i < where.rows(); ++i) std::copy_n(where.row<float>(i).begin(), 2, &places.as<float>()[2 * i]);
  std::vector<bool> starts(where.rows() + 1, false);
  for (const Episode& e : episodes) starts[e.first] = true;
  std::vector<size_t> ends;
  for (const Episode& part : split_at_jumps(places, episodes, factor))
    if (!starts[part.first]) ends.insert(ends.end(), {part.first - 1, part.first});
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

StateSample sample_states(const std::filesystem::path& path, const Model& model, const ClusterGraph& graph,
                          const StateSampleParams& params) {
  const bool image = !model.trunk.empty();
  const Dataset data = load_dataset(path, {.observations = !image, .threads = params.threads});
  StateSample sample;
  const size_t n = std::min(params.states, data.rows());
  for (size_t i = 0; i < n; ++i) sample.rows.push_back(i * data.rows() / n);
  sample.observations = image ? read_rows(path, sample.rows) : pick_rows(data.observations, sample.rows);
  sample.psi = embed(model, sample.observations, params.threads);
  sample.labels.resize(n);
  const auto label = [&](const Array& psi, std::span<int32_t> labels) {
    nearest_centers(psi.as<float>(), psi.row_size(), graph.centers, labels, {}, params.threads);
  };
  label(sample.psi, sample.labels);

  // places: the first two numbers that are seen, unless the data say that these are something else
  sample.place_is_observed = !image && places_are_observed(data, sample.rows);
  const Array& where = sample.place_is_observed ? data.observations : data.qpos;
  if (where.size() == 0 || where.row_size() < 2 || where.dtype() != DType::kFloat32) return sample;
  for (const size_t row : sample.rows) sample.places.push_back({where.row<float>(row)[0], where.row<float>(row)[1]});
  if (image) return sample;

  const std::vector<size_t> ends = find_leaps(where, data.episodes, params.leap_factor);
  if (ends.empty()) return sample;
  const Array psi = embed(model, pick_rows(data.observations, ends), params.threads);
  std::vector<int32_t> labels(ends.size());
  label(psi, labels);
  const double near = 0.08 * extent(sample.places);
  for (size_t i = 0; i < ends.size(); i += 2) {
    const auto from = where.row<float>(ends[i]), to = where.row<float>(ends[i + 1]);
    add_leap(sample.leaps, near,
             {{from[0], from[1]},
              {to[0], to[1]},
              labels[i],
              labels[i + 1],
              1,
              std::sqrt(squared_distance(psi.row<float>(i), psi.row<float>(i + 1)))});
  }
  std::ranges::stable_sort(sample.leaps, std::greater(), &StateSample::Leap::count);
  sample.leaps.resize(std::min(sample.leaps.size(), params.most_leaps));
  return sample;
}

}  // namespace alps
