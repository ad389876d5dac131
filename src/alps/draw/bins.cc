#include "alps/draw/bins.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "alps/base/error.h"
#include "alps/draw/floorplan.h"

namespace alps {

namespace {

bool finite(Point2 p) { return std::isfinite(p.x) && std::isfinite(p.y); }

struct Lattice {
  double first = 0, last = 0, step = 0;
};

// the regular grid on which all coordinates lie, if there is one with few enough points to be worth a bin each
std::optional<Lattice> find_lattice(std::span<const Point2> points, double Point2::*axis, double size) {
  constexpr size_t kLook = 50000, kMost = 256;
  constexpr double kSame = 1e-5, kOff = 0.02;  // of the world's size; of a step
  std::vector<double> seen;
  for (size_t i = 0; i < points.size(); i += std::max<size_t>(1, points.size() / kLook))
    if (finite(points[i])) seen.push_back(points[i].*axis);
  std::sort(seen.begin(), seen.end());
  const auto same = [&](double a, double b) { return std::abs(a - b) < kSame * size; };
  const size_t all = seen.size();
  seen.erase(std::unique(seen.begin(), seen.end(), same), seen.end());
  // a handful of coordinates is a grid by chance
  if (seen.size() < 4 || seen.size() > kMost || all < 4 * seen.size()) return std::nullopt;
  double step = size;
  for (size_t i = 1; i < seen.size(); i++) step = std::min(step, seen[i] - seen[i - 1]);
  for (const double value : seen) {
    const double steps = (value - seen[0]) / step;
    if (std::abs(steps - std::round(steps)) > kOff) return std::nullopt;
  }
  return Lattice{seen.front(), seen.back(), step};
}

// A filled hole has four neighbours that are none, so the order does not matter.
template <class T, class Empty, class Join>
void each_hole(const BinGrid& grid, std::span<T> bins, Empty empty, Join join) {
  for (size_t row = 1; row + 1 < grid.rows; row++)
    for (size_t column = 1; column + 1 < grid.columns; column++) {
      T* const bin = &bins[row * grid.columns + column];
      const std::array<T, 4> around{bin[-1], bin[1], *(bin - grid.columns), bin[grid.columns]};
      if (empty(*bin) && std::none_of(around.begin(), around.end(), empty)) *bin = join(around);
    }
}

size_t count_of(double length, double step) { return std::max<size_t>(1, std::lround(length / step)); }

}  // namespace

std::optional<size_t> BinGrid::find(Point2 p) const {
  const double x = (p.x - rect.low.x) / (rect.high.x - rect.low.x), y = (p.y - rect.low.y) / (rect.high.y - rect.low.y);
  if (!(x >= 0 && x <= 1 && y >= 0 && y <= 1)) return std::nullopt;
  // the upper border belongs to the last bin
  const size_t column = std::min(columns - 1, static_cast<size_t>(x * static_cast<double>(columns)));
  const size_t row = std::min(rows - 1, static_cast<size_t>(y * static_cast<double>(rows)));
  return row * columns + column;
}

Point2 BinGrid::center(size_t bin) const {
  const double x = (static_cast<double>(bin % columns) + 0.5) / static_cast<double>(columns);
  const double y = (static_cast<double>(bin / columns) + 0.5) / static_cast<double>(rows);
  return {std::lerp(rect.low.x, rect.high.x, x), std::lerp(rect.low.y, rect.high.y, y)};
}

Rect shown_world(const Floorplan& floorplan, std::span<const Point2> points) {
  const Rect extent = floorplan_extent(floorplan);
  if (extent.high.x > extent.low.x && extent.high.y > extent.low.y) return extent;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Rect box{{kInfinity, kInfinity}, {-kInfinity, -kInfinity}};
  for (const Point2 p : points) {
    if (!finite(p)) continue;
    box.low = {std::min(box.low.x, p.x), std::min(box.low.y, p.y)};
    box.high = {std::max(box.high.x, p.x), std::max(box.high.y, p.y)};
  }
  if (box.low.x > box.high.x) return {{0, 0}, {1, 1}};
  const double size = std::max(box.high.x - box.low.x, box.high.y - box.low.y), air = size > 0 ? 0.03 * size : 0.5;
  return {box.low - Point2{air, air}, box.high + Point2{air, air}};
}

BinGrid make_bins(std::span<const Point2> points, Rect world, size_t longest) {
  const Point2 size = world.high - world.low;
  const double length = std::max(size.x, size.y);
  ALPS_CHECK(size.x > 0 && size.y > 0 && std::isfinite(length) && longest > 0);
  const auto x = find_lattice(points, &Point2::x, length), y = find_lattice(points, &Point2::y, length);
  if (x && y) {
    const Point2 half{x->step / 2, y->step / 2};
    return {{Point2{x->first, y->first} - half, Point2{x->last, y->last} + half},
            count_of(x->last - x->first, x->step) + 1,
            count_of(y->last - y->first, y->step) + 1};
  }
  const double fair = std::max(24.0, std::sqrt(0.5 * static_cast<double>(points.size())));
  const double bins = std::min(static_cast<double>(longest), std::floor(fair));
  return {world, count_of(bins * size.x, length), count_of(bins * size.y, length)};
}

std::vector<float> bin_means(const BinGrid& grid, std::span<const Point2> points, std::span<const float> values) {
  ALPS_CHECK(points.size() == values.size());
  std::vector<double> sums(grid.size());
  std::vector<uint32_t> counts(grid.size());
  for (size_t i = 0; i < points.size(); i++) {
    const auto bin = grid.find(points[i]);
    if (!bin || !std::isfinite(values[i])) continue;
    sums[*bin] += values[i];
    counts[*bin]++;
  }
  std::vector<float> means(grid.size(), std::numeric_limits<float>::quiet_NaN());
  for (size_t bin = 0; bin < grid.size(); bin++)
    if (counts[bin] > 0) means[bin] = static_cast<float>(sums[bin] / counts[bin]);
  return means;
}

std::vector<int32_t> bin_labels(const BinGrid& grid, std::span<const Point2> points, std::span<const int32_t> labels) {
  ALPS_CHECK(points.size() == labels.size());
  std::vector<std::pair<size_t, int32_t>> found;
  for (size_t i = 0; i < points.size(); i++)
    if (const auto bin = grid.find(points[i]); bin && labels[i] >= 0) found.emplace_back(*bin, labels[i]);
  std::sort(found.begin(), found.end());
  // runs of the same bin and label; the longest run of a bin wins
  std::vector<int32_t> majority(grid.size(), -1);
  std::vector<size_t> votes(grid.size());
  for (size_t first = 0, last = 0; first < found.size(); first = last) {
    while (last < found.size() && found[last] == found[first]) last++;
    const auto [bin, label] = found[first];
    if (last - first > votes[bin]) {
      votes[bin] = last - first;
      majority[bin] = label;
    }
  }
  return majority;
}

void fill_holes(const BinGrid& grid, std::span<float> means) {
  each_hole(
      grid, means, [](float v) { return std::isnan(v); },
      [](std::array<float, 4> v) { return (v[0] + v[1] + v[2] + v[3]) / 4; });
}

void fill_holes(const BinGrid& grid, std::span<int32_t> labels) {
  each_hole(
      grid, labels, [](int32_t v) { return v < 0; },
      [](std::array<int32_t, 4> v) {
        return *std::max_element(v.begin(), v.end(), [&](int32_t a, int32_t b) {
          return std::count(v.begin(), v.end(), a) < std::count(v.begin(), v.end(), b);
        });
      });
}

}  // namespace alps
