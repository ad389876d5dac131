#include "alps/data/moves.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "alps/data/motion.h"

namespace alps {
namespace {

// moves of one factor, whose columns these are; rows as in `motion`
std::vector<Move> moves_of(const Motion& motion, size_t factor) {
  std::vector<uint8_t> moving(motion.columns[0].moving.size(), 0);
  for (const ColumnSteps& c : motion.columns)
    for (size_t row = 0; row < moving.size(); ++row) moving[row] |= c.moving[row];
  const std::vector<Episode> still = rests(moving, motion.parts, kShortestRest);
  std::vector<Move> moves;
  auto part = motion.parts.begin();
  for (size_t i = 0; i + 1 < still.size(); ++i) {
    while (part->last < still[i].last) ++part;
    if (still[i + 1].first > part->last) continue;
    double way = 0;
    for (const ColumnSteps& c : motion.columns)
      if (c.deviation > 0) way += std::abs(c.values[still[i + 1].first] - c.values[still[i].last]) / c.deviation;
    if (way < kLeastMove * static_cast<double>(motion.columns.size())) continue;
    moves.push_back({factor, part->first, still[i].last, still[i + 1].first});
  }
  return moves;
}

}  // namespace

std::vector<Move> find_moves(const ObservationRows& observations, const std::vector<Episode>& episodes,
                             const Factors& factors) {
  std::vector<Move> all;
  std::vector<Episode> parts;
  for (size_t f = 0; f < factors.size(); ++f) {
    const Motion motion = motion_of(observations, episodes, factors.columns[f]);
    const std::vector<Move> moves = moves_of(motion, f);
    all.insert(all.end(), moves.begin(), moves.end());
    parts = motion.parts;
  }
  std::ranges::stable_sort(all, {}, &Move::starts);

  // each takes the rows since the one before it; those that end within another are its consequences
  std::vector<Move> own;
  auto part = parts.begin();
  size_t number = 0, free = 0;
  for (Move move : all) {
    while (part->last < move.starts) ++part;
    number = static_cast<size_t>(part - parts.begin());
    free = std::max(free, part->first);
    if (move.ends <= free) continue;
    move.begins = free;
    free = move.ends;
    // from rows of `motion` to rows of the data
    const size_t shift = episodes[number].first - part->first;
    own.push_back(
        {move.factor, move.begins + shift, move.starts + shift, move.ends + shift, move.begins > part->first});
  }
  return own;
}

std::vector<float> rest_changes(const ObservationRows& observations, const std::vector<Episode>& episodes,
                                const Factors& factors) {
  std::vector<float> changes;
  for (const ColumnSteps& c : motion_of(observations, episodes, factors.all()).columns) changes.push_back(c.rest);
  return changes;
}

std::vector<Leader> find_leaders(const ObservationRows& observations, const std::vector<Episode>& episodes,
                                 const Factors& factors) {
  constexpr size_t kEpisodes = 100;
  constexpr double kLeads = 0.5;  // share of the variance
  std::vector<Episode> some;
  const size_t stride = (episodes.size() + kEpisodes - 1) / kEpisodes;
  for (size_t i = 0; i < episodes.size(); i += stride) some.push_back(episodes[i]);
  std::vector<size_t> columns(observations.row_size());
  std::iota(columns.begin(), columns.end(), 0);
  const Motion motion = motion_of(observations, some, columns);
  const std::vector<size_t> led = factors.all();
  std::vector<Leader> leaders;
  for (const size_t k : led) {
    const ColumnSteps& y = motion.columns[k];
    std::vector<size_t> rows;  // from which it moves
    for (size_t row = 0; row + 1 < y.moving.size(); ++row)
      if (y.moving[row]) rows.push_back(row);
    const double n = static_cast<double>(rows.size());
    Leader best;
    double least = 1 - kLeads;
    for (const size_t a : columns) {
      if (std::ranges::count(led, a)) continue;
      const ColumnSteps& x = motion.columns[a];
      double xx = 0, xy = 0, yy = 0, sum = 0, square = 0, place = 0, places = 0;
      for (const size_t row : rows) {
        const double dx = x.values[row + 1] - x.values[row], dy = y.values[row + 1] - y.values[row];
        xx += dx * dx;
        xy += dx * dy;
        yy += dy * dy;
      }
      if (!(xx > 0) || !(yy > 0) || xy * xy < kLeads * xx * yy) continue;
      // what the leader's place leaves open of the other's
      const double slope = xy / yy;
      for (const size_t row : rows) {
        const double off = x.values[row] - slope * y.values[row];
        sum += off;
        square += off * off;
        place += y.values[row];
        places += y.values[row] * y.values[row];
      }
      const double open = (square - sum * sum / n) / (slope * slope * (places - place * place / n));
      if (!(open < least)) continue;
      least = open;
      best = {static_cast<int>(a), static_cast<float>(slope), static_cast<float>(sum / n)};
    }
    leaders.push_back(best);
  }
  return leaders;
}

std::vector<size_t> find_angles(const ObservationRows& observations, const std::vector<Episode>& episodes) {
  constexpr double kOff = 1e-3;   // of length 1, for numbers that were rounded
  constexpr double kFlat = 0.05;  // mean |cosine * sine|: an angle that never leaves the axes is none
  const size_t n = observations.row_size();
  std::vector<uint8_t> is_one(n, 1);
  std::vector<double> both(n, 0);
  std::vector<float> buffer;
  size_t rows = 0;
  const size_t stride = std::max<size_t>(1, episodes.size() / 100);
  for (size_t e = 0; e < episodes.size(); e += stride)
    for (size_t row = episodes[e].first; row <= episodes[e].last; row += 10, ++rows) {
      const auto x = observations.floats(row, buffer);
      for (size_t k = 0; k + 1 < n; ++k) {
        is_one[k] &= std::abs(std::hypot(x[k], x[k + 1]) - 1) < kOff;
        both[k] += std::abs(x[k] * x[k + 1]);
      }
    }
  std::vector<size_t> angles;
  for (size_t k = 0; k + 1 < n; ++k) {
    if (!is_one[k] || both[k] < kFlat * static_cast<double>(rows)) continue;
    angles.push_back(k);
    ++k;  // a column belongs to one angle
  }
  return angles;
}

}  // namespace alps
