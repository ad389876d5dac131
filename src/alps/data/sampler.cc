#include "alps/data/sampler.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "alps/base/error.h"

namespace alps {
namespace {

// running totals of how many rows of each episode have `cut` successors
std::vector<size_t> running_ends(const std::vector<Episode>& episodes, size_t cut) {
  std::vector<size_t> ends;
  ends.reserve(episodes.size());
  size_t total = 0;
  for (const Episode& episode : episodes) ends.push_back(total += episode.rows() - std::min(cut, episode.rows()));
  return ends;
}

}  // namespace

Sampler::Sampler(std::vector<Episode> episodes)
    : episodes_(std::move(episodes)),
      transition_ends_(running_ends(episodes_, 1)),
      row_ends_(running_ends(episodes_, 0)) {
  ALPS_CHECK(!episodes_.empty());
  rows_ = row_ends_.back();
  transitions_ = transition_ends_.back();
  for (const Episode& episode : episodes_) longest_ = std::max(longest_, episode.rows() - 1);
}

size_t Sampler::windows_of(size_t horizon) const { return running_ends(episodes_, horizon).back(); }

// one item of those that `ends` counts, uniform; an episode's items are its first rows
Sampler::Position Sampler::draw(Rng& rng, const std::vector<size_t>& ends) const {
  const size_t item = rng.below(ends.back());
  const size_t e = std::upper_bound(ends.begin(), ends.end(), item) - ends.begin();
  const size_t row = episodes_[e].first + item - (e == 0 ? 0 : ends[e - 1]);
  return {row, episodes_[e].last - row};
}

RowPairs Sampler::pairs(Rng& rng, size_t count, double gamma) const {
  ALPS_CHECK(transitions_ > 0);
  RowPairs pairs;
  for (size_t i = 0; i < count; ++i) {
    const Position at = draw(rng, transition_ends_);
    pairs.from.push_back(at.row);
    pairs.to.push_back(at.row + truncated_geometric(rng, gamma, at.remaining));
  }
  return pairs;
}

std::vector<size_t> Sampler::uniform(Rng& rng, size_t count) const {
  std::vector<size_t> rows(count);
  for (size_t& row : rows) row = draw(rng, row_ends_).row;
  return rows;
}

std::vector<size_t> Sampler::windows(Rng& rng, size_t count, size_t horizon) const {
  const std::vector<size_t> ends = running_ends(episodes_, horizon);
  ALPS_CHECK(ends.back() > 0);
  std::vector<size_t> rows(count);
  for (size_t& row : rows) row = draw(rng, ends).row;
  return rows;
}

std::vector<Sampler::Position> Sampler::positions(Rng& rng, size_t count) const {
  ALPS_CHECK(transitions_ > 0);
  std::vector<Position> list(count);
  for (Position& position : list) position = draw(rng, transition_ends_);
  return list;
}

RowPairs Sampler::goals(Rng& rng, size_t count, size_t horizon) const {
  ALPS_CHECK(transitions_ > 0 && horizon > 0);
  RowPairs pairs;
  for (size_t i = 0; i < count; ++i) {
    const Position at = draw(rng, transition_ends_);
    pairs.from.push_back(at.row);
    pairs.to.push_back(at.row + 1 + rng.below(std::min(horizon, at.remaining)));
  }
  return pairs;
}

size_t truncated_geometric(Rng& rng, double gamma, size_t remaining) {
  ALPS_CHECK(remaining > 0);
  if (gamma <= 0) return 1;
  // the share of the mass at or below i is (1 - gamma^(i+1)) / (1 - gamma^remaining)
  const double mass = 1.0 - std::pow(gamma, static_cast<double>(remaining));
  const double i = std::floor(std::log1p(-rng.uniform() * mass) / std::log(gamma));
  return 1 + std::min(static_cast<size_t>(std::max(i, 0.0)), remaining - 1);
}

}  // namespace alps
