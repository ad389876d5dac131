// Draws training batches as row numbers of a data set. A batch depends on the given generator alone. The trainer gives
// every step its own stream of random numbers, so that a run which is resumed draws the same batches.
//   pairs    (t, t + d): t uniform over rows that have a successor, d >= 1 truncated geometric inside the episode,
//            p(d = i + 1) proportional to gamma^i for i < remaining steps (inverse CDF)
//   uniform  rows, uniform over all rows
//   windows  t such that t .. t + horizon lie in one episode, uniform
//   goals    (t, t + k): t uniform over rows that have a successor, k uniform in 1 .. min(horizon, remaining steps)
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "alps/base/rng.h"
#include "alps/data/dataset.h"

namespace alps {

struct RowPairs {
  std::vector<size_t> from, to;
};

class Sampler {
 public:
  explicit Sampler(std::vector<Episode> episodes);

  const std::vector<Episode>& episodes() const { return episodes_; }
  size_t rows() const { return rows_; }
  size_t transitions() const { return transitions_; }
  size_t longest() const { return longest_; }  // transitions of the longest episode
  size_t windows_of(size_t horizon) const;     // number of windows of this length

  RowPairs pairs(Rng& rng, size_t count, double gamma) const;
  std::vector<size_t> uniform(Rng& rng, size_t count) const;
  std::vector<size_t> windows(Rng& rng, size_t count, size_t horizon) const;
  RowPairs goals(Rng& rng, size_t count, size_t horizon) const;

  struct Position {
    size_t row, remaining;  // transitions from here to the end of the episode
  };
  std::vector<Position> positions(Rng& rng, size_t count) const;  // rows that have a successor, uniform

 private:
  Position draw(Rng& rng, const std::vector<size_t>& ends) const;

  std::vector<Episode> episodes_;
  std::vector<size_t> transition_ends_, row_ends_;  // running totals over the episodes
  size_t rows_ = 0, transitions_ = 0, longest_ = 0;
};

// d >= 1, p(d = i + 1) proportional to gamma^i for i < remaining
size_t truncated_geometric(Rng& rng, double gamma, size_t remaining);

}  // namespace alps
