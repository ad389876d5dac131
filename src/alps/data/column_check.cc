// Columns of the observations, looked at before training.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "alps/base/progress.h"
#include "alps/data/check.h"

namespace alps {
namespace {

constexpr size_t kSteps = 100'000;    // of the sample
constexpr size_t kPairRows = 2000;    // on which columns are compared with each other
constexpr size_t kMostPaired = 2000;  // columns; more are not compared
constexpr size_t kListed = 8;         // columns named in a line
constexpr double kEnormous = 1e6, kFarOffset = 1e4, kOutlier = 100;

struct Column {
  double mean = 0, deviation = 0, low = INFINITY, high = -INFINITY;
  double outlier() const { return std::max(high - mean, mean - low); }
};

std::vector<Column> measure(const ObservationRows& rows, std::span<const size_t> sample) {
  std::vector<Column> columns(rows.row_size());
  std::vector<double> square(columns.size());
  std::vector<float> buffer;
  double n = 0;
  for (const size_t row : sample) {
    const auto values = rows.floats(row, buffer);
    ++n;
    for (size_t k = 0; k < columns.size(); ++k) {
      Column& c = columns[k];
      const double x = values[k], off = x - c.mean;
      c.mean += off / n;
      square[k] += off * (x - c.mean);
      c.low = std::min(c.low, x);
      c.high = std::max(c.high, x);
    }
  }
  for (size_t k = 0; k < columns.size(); ++k) columns[k].deviation = std::sqrt(square[k] / std::max(1.0, n));
  return columns;
}

// "columns 3, 4 and 17 more"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kListed); ++i) text += (i ? ", " : "") + names[i];
  if (names.size() > kListed) text += str(" and ", names.size() - kListed, " more");
  return (names.size() == 1 ? "column " : "columns ") + text;
}

Finding constant_columns(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (size_t k = 0; k < columns.size(); ++k)
    if (columns[k].low == columns[k].high) names.push_back(str(k));
  if (names.empty())
    return {.what = "dead columns", .value = "none", .meaning = "every column of the observation changes"};
  if (names.size() == columns.size())
    return {Mark::kBad, "dead columns", "all", "the observation never changes, so there is nothing to learn",
            "record the state of the robot as observations"};
  return {Mark::kLook, "dead columns", listed(names),
          "these never change and say nothing; a goal that differs in them cannot be reached",
          "leave them out, or record data in which they change"};
}

// columns that are another one, perhaps in other units
std::vector<Finding> repeated_columns(const ObservationRows& rows, std::span<const size_t> sample,
                                      const std::vector<Column>& columns) {
  if (columns.size() > kMostPaired) return {};
  const size_t n = std::min(kPairRows, sample.size());
  std::vector<std::vector<float>> values(columns.size(), std::vector<float>(n));
  std::vector<float> buffer;
  for (size_t i = 0; i < n; ++i) {
    const auto row = rows.floats(sample[i * sample.size() / n], buffer);
    for (size_t k = 0; k < columns.size(); ++k)
      values[k][i] = static_cast<float>((row[k] - columns[k].mean) / std::max(columns[k].deviation, 1e-30));
  }
  std::vector<std::string> names;
  for (size_t k = 0; k < columns.size(); ++k) {
    if (columns[k].low == columns[k].high) continue;
    for (size_t j = 0; j < k; ++j) {
      if (columns[j].low == columns[j].high) continue;
      // the largest difference, of the values and of their mirror image
      float same = 0, mirrored = 0;
      for (size_t i = 0; i < n && std::min(same, mirrored) < 1e-3f; ++i) {
        same = std::max(same, std::abs(values[k][i] - values[j][i]));
        mirrored = std::max(mirrored, std::abs(values[k][i] + values[j][i]));
      }
      if (std::min(same, mirrored) >= 1e-3f) continue;
      names.push_back(str(k, " (as ", j, ")"));
      break;
    }
  }
  if (names.empty()) return {};
  return {{Mark::kLook, "duplicate columns", listed(names),
           "each is another column again, perhaps with another scale; the networks see it with double weight",
           "leave the copies out"}};
}

std::vector<Finding> large_columns(const std::vector<Column>& columns) {
  std::vector<std::string> enormous, far, outliers;
  for (size_t k = 0; k < columns.size(); ++k) {
    const Column& c = columns[k];
    if (c.low == c.high) continue;
    const double size = std::max(std::abs(c.low), std::abs(c.high));
    if (size >= kEnormous)
      enormous.push_back(str(k, " (up to ", figure_text(size), ")"));
    else if (std::abs(c.mean) > kFarOffset * c.deviation)
      far.push_back(str(k, " (", figure_text(c.mean), ", deviation ", figure_text(c.deviation), ")"));
    else if (c.outlier() > kOutlier * c.deviation)
      outliers.push_back(str(k, " (", figure_text(c.outlier() / c.deviation), " deviations)"));
  }
  std::vector<Finding> found;
  if (!enormous.empty())
    found.push_back(
        {Mark::kBad, "enormous columns", listed(enormous),
         "float32 keeps seven digits, so small changes of such a column are lost; counters, time stamps and "
         "error codes look like this",
         "leave the column out, or subtract its offset and change its unit before saving"});
  if (!far.empty())
    found.push_back({Mark::kLook, "columns far from zero", listed(far),
                     "the column changes by less than a ten-thousandth of its value; little of it is left in float32",
                     "subtract the offset before saving"});
  if (!outliers.empty())
    found.push_back(
        {Mark::kLook, "outliers", listed(outliers),
         "a single value lies so far out that it may be a fault of a sensor; it sets the scale of the column",
         "look at these rows; cut such episodes or mend the values"});
  return found;
}

std::string turn_of(double range) {
  if (std::abs(range - 2 * std::numbers::pi) < 0.05 * 2 * std::numbers::pi) return ", a full turn in radians";
  if (std::abs(range - 360) < 0.05 * 360) return ", a full turn in degrees";
  return "";
}

}  // namespace

std::vector<Wrap> find_wraps(const ObservationRows& rows, std::span<const size_t> steps) {
  constexpr double kCross = 0.8, kSmall = 0.4, kInside = 0.1, kMost = 0.2;
  constexpr size_t kLeast = 3;
  const std::vector<Column> columns = measure(rows, steps);
  const size_t n = columns.size();
  std::vector<size_t> cross(n), between(n), inside(n);
  std::vector<float> one, two;
  for (const size_t row : steps) {
    const auto here = rows.floats(row, one), next = rows.floats(row + 1, two);
    for (size_t k = 0; k < n; ++k) {
      const double range = columns[k].high - columns[k].low;
      const double step = std::abs(static_cast<double>(next[k]) - here[k]) / range;
      const double place = (here[k] - columns[k].low) / range;
      cross[k] += step > kCross;
      between[k] += step > kSmall && step <= kCross;
      inside[k] += place > 0.25 && place < 0.75;
    }
  }
  std::vector<Wrap> found;
  const auto count = static_cast<double>(steps.size());
  for (size_t k = 0; k < n; ++k) {
    if (columns[k].low == columns[k].high || cross[k] < kLeast) continue;
    // switches cross their range too, but have no values in between; noise has steps of every size
    const bool rare =
        static_cast<double>(cross[k])<kMost * count, filled = static_cast<double>(inside[k])> kInside * count;
    if (rare && filled && 10 * between[k] <= cross[k]) found.push_back({k, cross[k], columns[k].low, columns[k].high});
  }
  return found;
}

std::vector<Finding> check_columns(const Dataset& data) {
  if (data.image()) return {};
  const std::vector<size_t> steps = even_steps(data.episodes, kSteps);
  const std::vector<Column> columns = measure(data.observations, steps);
  std::vector<Finding> found = {constant_columns(columns)};
  for (Finding& f : repeated_columns(data.observations, steps, columns)) found.push_back(std::move(f));
  for (Finding& f : large_columns(columns)) found.push_back(std::move(f));
  for (const Wrap& w : find_wraps(data.observations, steps))
    found.push_back(
        {Mark::kLook, "angles",
         str("column ", w.column, " wraps between ", figure_text(w.low), " and ", figure_text(w.high),
             turn_of(w.high - w.low)),
         "both ends are the same place, but the networks see them as far apart; the model must predict leaps "
         "of the whole range",
         "store sin and cos of the angle in place of it (for angles in radians: numpy.sin, numpy.cos)"});
  return found;
}

}  // namespace alps
