#include "alps/data/factors.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "alps/data/motion.h"

namespace alps {
namespace {

constexpr size_t kSample = 200'000;                   // rows are plenty
constexpr double kAgentRest = 0.1, kAgentMove = 0.5;  // shares of the steps
constexpr double kFactorRest = 0.3;                   // share of the steps
constexpr double kSpread = 0.1;                       // of resting values, in deviations of the column
constexpr double kOverlap = 0.6;                      // of moving steps
constexpr size_t kLate = 2;                           // steps by which one column may begin to move after another
constexpr double kLeads = 0.1;                        // deviations that a usual move leads
constexpr size_t kMoves = 20;
constexpr double kAnywhere = 0.42;  // of the mean difference of any two resting values
constexpr double kTold = 0.9;       // share of the variance of a column's resting values that another column tells

// whole episodes, evenly spread
std::vector<Episode> sample(const std::vector<Episode>& episodes, size_t columns) {
  size_t rows = 0;
  for (const Episode& e : episodes) rows += e.rows();
  const size_t most = std::min(kSample, std::max<size_t>(1, 20'000'000 / std::max<size_t>(1, columns)));
  const size_t stride = (rows + most - 1) / most;
  std::vector<Episode> some;
  for (size_t i = 0; i < episodes.size(); i += stride) some.push_back(episodes[i]);
  return some;
}

struct Rest {
  double share = 0;   // of the steps
  double spread = 0;  // of the resting values, in deviations
};

Rest rest_of(const ColumnSteps& c, const std::vector<Episode>& parts, size_t steps) {
  double total = 0, sum = 0, square = 0;
  for (const Episode& r : rests(c.moving, parts, kShortestRest)) {
    const double length = static_cast<double>(r.last - r.first), x = c.values[(r.first + r.last) / 2];
    total += length;
    sum += length * x;
    square += length * x * x;
  }
  if (total == 0 || !(c.deviation > 0)) return {};
  const double mean = sum / total;
  return {total / static_cast<double>(steps), std::sqrt(std::max(0.0, square / total - mean * mean)) / c.deviation};
}

// moving steps, widened to both sides
std::vector<uint8_t> widened(const std::vector<uint8_t>& moving) {
  std::vector<uint8_t> wide(moving.size(), 0);
  for (size_t row = 0; row < moving.size(); ++row)
    if (moving[row])
      for (size_t i = row - std::min(row, kLate); i <= std::min(row + kLate, moving.size() - 1); ++i) wide[i] = 1;
  return wide;
}

double share_within(const std::vector<uint8_t>& moving, const std::vector<uint8_t>& wide) {
  size_t all = 0, both = 0;
  for (size_t row = 0; row < moving.size(); ++row) {
    all += moving[row];
    both += moving[row] & wide[row];
  }
  return all > 0 ? static_cast<double>(both) / static_cast<double>(all) : 0;
}

// candidates that move together
std::vector<std::vector<size_t>> grouped(const Motion& motion, const std::vector<size_t>& candidates) {
  std::vector<std::vector<uint8_t>> wide;
  for (const size_t k : candidates) wide.push_back(widened(motion.columns[k].moving));
  std::vector<size_t> group(candidates.size());
  std::iota(group.begin(), group.end(), 0);
  for (size_t i = 0; i < candidates.size(); ++i)
    for (size_t j = i + 1; j < candidates.size(); ++j) {
      const auto &a = motion.columns[candidates[i]].moving, &b = motion.columns[candidates[j]].moving;
      if (group[i] == group[j] || share_within(a, wide[j]) < kOverlap || share_within(b, wide[i]) < kOverlap) continue;
      const size_t from = group[j];
      for (size_t& g : group)
        if (g == from) g = group[i];
    }
  std::vector<std::vector<size_t>> groups;
  for (size_t g = 0; g < candidates.size(); ++g) {
    std::vector<size_t> members;
    for (size_t i = 0; i < candidates.size(); ++i)
      if (group[i] == g) members.push_back(candidates[i]);
    if (!members.empty()) groups.push_back(std::move(members));
  }
  std::ranges::sort(groups);
  return groups;
}

// from the rest before to the rest after each move of the group, as pairs of rows
std::vector<std::pair<size_t, size_t>> moves_of(const Motion& motion, const std::vector<size_t>& group) {
  std::vector<uint8_t> moving(motion.columns[group[0]].moving.size(), 0);
  for (const size_t k : group)
    for (size_t row = 0; row < moving.size(); ++row) moving[row] |= motion.columns[k].moving[row];
  const std::vector<Episode> still = rests(moving, motion.parts, kShortestRest);
  std::vector<std::pair<size_t, size_t>> moves;
  for (size_t i = 0; i + 1 < still.size(); ++i)
    if (still[i + 1].first <= std::ranges::lower_bound(motion.parts, still[i].last, {}, &Episode::last)->last)
      moves.emplace_back(still[i].last, still[i + 1].first);
  return moves;
}

// whether the group comes to rest elsewhere than before, usually and often
bool leads_somewhere(const Motion& motion, const std::vector<size_t>& group) {
  std::vector<double> ways;
  for (const auto& [from, to] : moves_of(motion, group)) {
    double way = 0;
    for (const size_t k : group)
      way += std::abs(motion.columns[k].values[to] - motion.columns[k].values[from]) / motion.columns[k].deviation;
    ways.push_back(way / static_cast<double>(group.size()));
  }
  if (ways.size() < kMoves) return false;
  std::ranges::nth_element(ways, ways.begin() + static_cast<ptrdiff_t>(ways.size() / 2));
  return ways[ways.size() / 2] >= kLeads;
}

// mean absolute difference of any two
double mean_spread(std::vector<double> values) {
  std::ranges::sort(values);
  const double n = static_cast<double>(values.size());
  double sum = 0;
  for (size_t i = 0; i < values.size(); ++i) sum += (2 * static_cast<double>(i) + 1 - n) * values[i];
  return 2 * sum / (n * n);
}

// the columns that moves bring anywhere
std::vector<size_t> led_anywhere(const Motion& motion, const std::vector<size_t>& group) {
  const auto moves = moves_of(motion, group);
  std::vector<size_t> led;
  for (const size_t k : group) {
    const std::vector<float>& x = motion.columns[k].values;
    std::vector<double> places;
    double change = 0;
    for (const auto& [from, to] : moves) {
      places.push_back(x[to]);
      change += std::abs(x[to] - x[from]) / static_cast<double>(moves.size());
    }
    const double spread = mean_spread(places);
    if (spread > 0 && change >= kAnywhere * spread) led.push_back(k);
  }
  return led;
}

// share of the variance of y that the cell of x tells, over some rows; 32 cells of as many rows each
double told_by(const ColumnSteps& x, const ColumnSteps& y, const std::vector<size_t>& rows) {
  constexpr size_t kCells = 32;
  std::vector<float> sorted;
  for (const size_t row : rows) sorted.push_back(x.values[row]);
  std::ranges::sort(sorted);
  std::vector<float> edges;
  for (size_t i = 1; i < kCells; ++i) edges.push_back(sorted[sorted.size() * i / kCells]);
  edges.erase(std::ranges::unique(edges).begin(), edges.end());
  std::vector<double> count(edges.size() + 1, 0), sum = count;
  double total = 0, square = 0;
  for (const size_t row : rows) {
    const size_t cell = std::ranges::upper_bound(edges, x.values[row]) - edges.begin();
    const double value = y.values[row];
    ++count[cell];
    sum[cell] += value;
    total += value;
    square += value * value;
  }
  const double n = static_cast<double>(rows.size()), variance = square - total * total / n;
  double between = -total * total / n;
  for (size_t i = 0; i < count.size(); ++i)
    if (count[i] > 0) between += sum[i] * sum[i] / count[i];
  return variance > 0 ? between / variance : 1;
}

// every column of the group can be told from some column outside of the factors
bool told_by_agent(const Motion& motion, const std::vector<size_t>& group, const std::vector<size_t>& agent) {
  for (const size_t k : group) {
    std::vector<size_t> rows;
    for (const Episode& r : rests(motion.columns[k].moving, motion.parts, kShortestRest))
      for (size_t row = r.first; row <= r.last; ++row) rows.push_back(row);
    double most = 0;
    for (const size_t a : agent) most = std::max(most, told_by(motion.columns[a], motion.columns[k], rows));
    if (most < kTold) return false;
  }
  return true;
}

}  // namespace

std::vector<size_t> Factors::all() const {
  std::vector<size_t> every;
  for (const auto& factor : columns) every.insert(every.end(), factor.begin(), factor.end());
  return every;
}

Factors find_factors(const ObservationRows& observations, const std::vector<Episode>& episodes) {
  Factors factors;
  if (observations.image() || observations.empty()) return factors;
  const std::vector<Episode> some = sample(episodes, observations.row_size());
  std::vector<size_t> columns(observations.row_size());
  std::iota(columns.begin(), columns.end(), 0);
  const Motion motion = motion_of(observations, some, columns);
  size_t steps = 0;
  for (const Episode& e : motion.parts) steps += e.last - e.first;
  if (steps == 0) return factors;

  bool agent_moves = false;
  std::vector<size_t> candidates;
  for (const size_t k : columns) {
    const ColumnSteps& c = motion.columns[k];
    if (!(c.deviation > 1e-6f)) continue;
    const Rest rest = rest_of(c, motion.parts, steps);
    const auto moving = static_cast<double>(std::ranges::count(c.moving, 1)) / static_cast<double>(steps);
    agent_moves |= rest.share < kAgentRest && moving > kAgentMove;
    if (rest.share >= kFactorRest && rest.spread >= kSpread) candidates.push_back(k);
  }
  if (!agent_moves || candidates.empty()) return factors;

  std::vector<std::vector<size_t>> groups = grouped(motion, candidates);
  std::erase_if(groups, [&](const auto& group) { return !leads_somewhere(motion, group); });
  std::vector<size_t> agent;
  for (const size_t k : columns)
    if (motion.columns[k].deviation > 1e-6f &&
        std::ranges::none_of(groups, [&](const auto& g) { return std::ranges::count(g, k) > 0; }))
      agent.push_back(k);
  std::erase_if(groups, [&](const auto& group) { return told_by_agent(motion, group, agent); });
  for (auto& group : groups) group = led_anywhere(motion, group);
  std::erase_if(groups, [](const auto& group) { return group.empty(); });
  factors.columns = std::move(groups);
  return factors;
}

std::vector<std::vector<size_t>> thing_columns(const ObservationRows& observations,
                                               const std::vector<Episode>& episodes, const Factors& factors) {
  const std::vector<Episode> some = sample(episodes, observations.row_size());
  std::vector<size_t> columns(observations.row_size());
  std::iota(columns.begin(), columns.end(), 0);
  const Motion motion = motion_of(observations, some, columns);
  std::vector<std::vector<uint8_t>> moving, wide;  // of each factor
  for (const auto& factor : factors.columns) {
    moving.emplace_back(motion.columns[factor[0]].moving.size(), 0);
    for (const size_t k : factor)
      for (size_t row = 0; row < moving.back().size(); ++row) moving.back()[row] |= motion.columns[k].moving[row];
    wide.push_back(widened(moving.back()));
  }

  std::vector<std::vector<size_t>> things(factors.size());
  const std::vector<size_t> own = factors.all();
  for (const size_t k : columns) {
    if (!(motion.columns[k].deviation > 1e-6f)) continue;
    const std::vector<uint8_t> of_column = widened(motion.columns[k].moving);
    double most = kOverlap;
    size_t thing = factors.size();
    for (size_t f = 0; f < factors.size(); ++f) {
      const bool of_factor = std::ranges::count(factors.columns[f], k) > 0;
      if (!of_factor && std::ranges::count(own, k)) continue;
      const double overlap =
          of_factor ? 1 : std::min(share_within(moving[f], of_column), share_within(motion.columns[k].moving, wide[f]));
      if (overlap < most) continue;
      most = overlap;
      thing = f;
    }
    if (thing < factors.size()) things[thing].push_back(k);
  }
  return things;
}

std::string factors_text(const Factors& factors) {
  if (factors.empty()) return "none";
  std::string text;
  for (const auto& columns : factors.columns) {
    if (!text.empty()) text += '/';
    for (size_t i = 0; i < columns.size();) {
      size_t last = i;
      while (last + 1 < columns.size() && columns[last + 1] == columns[last] + 1) ++last;
      if (i > 0) text += ',';
      text += std::to_string(columns[i]);
      if (last > i) text += str('-', columns[last]);
      i = last + 1;
    }
  }
  return text;
}

Factors factors_named(const std::string& text, size_t columns) {
  Factors factors;
  if (text == "none" || text.empty()) return factors;
  const char *at = text.data(), *const end = at + text.size();
  const auto wrong = [&](const auto&... words) { throw UsageError("factors=", text, ": ", words...); };
  const auto number = [&] {
    size_t value = 0;
    const auto [next, code] = std::from_chars(at, end, value);
    if (code != std::errc()) wrong("expected columns such as 19-27/28-36, or none");
    if (value >= columns) wrong("there is no column ", value, "; the observation has ", columns, ", counted from 0");
    at = next;
    return value;
  };
  std::vector<size_t> seen;
  factors.columns.emplace_back();
  while (true) {
    const size_t first = number();
    size_t last = first;
    if (at < end && *at == '-') {
      ++at;
      last = number();
    }
    for (size_t k = first; k <= last; ++k) {
      if (std::ranges::count(seen, k)) wrong("column ", k, " is named twice");
      seen.push_back(k);
      factors.columns.back().push_back(k);
    }
    if (at == end) break;
    if (*at == '/')
      factors.columns.emplace_back();
    else if (*at != ',')
      wrong("expected columns such as 19-27/28-36, or none");
    ++at;
  }
  for (auto& factor : factors.columns) std::ranges::sort(factor);
  return factors;
}

}  // namespace alps
