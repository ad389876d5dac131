// Do two methods differ over many data sets? Wilcoxon's signed-rank test (1945) of paired figures, two-sided, and
// Holm's correction (1979) where several such tests stand in one table.
//
// Pairs that are equal are left out. Where all differences have different sizes (up to 50 pairs), or there are at most
// 13 pairs, p is exact: the share of all 2^n choices of signs that give a rank sum at least as uneven. Otherwise p is
// that of the normal distribution, corrected for ties, without a continuity correction. These are the choices of
// scipy.stats.wilcoxon without options.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace alps {

struct SignedRanks {
  double plus = 0, minus = 0;  // sums of the ranks of positive and of negative differences
  size_t pairs = 0;            // with a difference
  bool exact = true;           // whether p is exact
  double p = 1;                // two-sided
};

// of x - y, pair by pair. Differences within 1e-9 of the largest count as equal: 0.98 - 0.95 and 0.93 - 0.90 are a tie.
SignedRanks wilcoxon(std::span<const double> x, std::span<const double> y);

// Holm-Bonferroni: adjusted p-values in the order of the given ones; rejecting those below a level keeps the chance of
// any false rejection below that level.
std::vector<double> holm_bonferroni(std::span<const double> p);

}  // namespace alps
