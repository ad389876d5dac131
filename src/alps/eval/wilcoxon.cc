#include "alps/eval/wilcoxon.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "alps/base/error.h"

namespace alps {
namespace {

constexpr size_t kExactPairs = 50, kExactTiedPairs = 13;

// The exact distribution of the rank sum when each sign is a fair coin. Ranks are doubled, so that the mean ranks of
// ties are whole numbers; `sum` is a doubled rank sum. Twice the smaller tail.
double exact_p(std::span<const size_t> doubled_ranks, size_t sum) {
  const size_t total = std::accumulate(doubled_ranks.begin(), doubled_ranks.end(), size_t{0});
  std::vector<double> chance(total + 1, 0.0);
  chance[0] = 1;
  for (const size_t rank : doubled_ranks)
    for (size_t s = total + 1; s-- > 0;) chance[s] = 0.5 * (chance[s] + (s >= rank ? chance[s - rank] : 0.0));
  const auto at = chance.begin() + static_cast<std::ptrdiff_t>(sum);
  const double below = std::accumulate(chance.begin(), at + 1, 0.0), above = std::accumulate(at, chance.end(), 0.0);
  return std::min(1.0, 2 * std::min(below, above));
}

}  // namespace

SignedRanks wilcoxon(std::span<const double> x, std::span<const double> y) {
  ALPS_CHECK(x.size() == y.size());
  std::vector<double> differences;
  double largest = 0;
  for (size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(x[i] - y[i]));
  const double same = 1e-9 * largest;
  for (size_t i = 0; i < x.size(); ++i)
    if (std::abs(x[i] - y[i]) > same) differences.push_back(x[i] - y[i]);
  std::ranges::sort(differences, {}, [](double d) { return std::abs(d); });

  // doubled ranks; ties share their mean rank
  const size_t n = differences.size();
  std::vector<size_t> ranks(n);
  double tie_correction = 0;
  for (size_t first = 0, last; first < n; first = last) {
    for (last = first + 1; last < n && std::abs(differences[last]) - std::abs(differences[first]) <= same;) ++last;
    for (size_t i = first; i < last; ++i) ranks[i] = first + last + 1;
    const double tied = static_cast<double>(last - first);
    tie_correction += tied * tied * tied - tied;
  }
  size_t doubled = 0, total = 0;
  for (size_t i = 0; i < n; ++i) {
    doubled += differences[i] > 0 ? ranks[i] : 0;
    total += ranks[i];
  }
  SignedRanks result{.plus = 0.5 * static_cast<double>(doubled), .minus = 0.5 * static_cast<double>(total - doubled)};
  result.pairs = n;
  const bool untied = tie_correction == 0 && n == x.size();
  result.exact = x.size() <= (untied ? kExactPairs : kExactTiedPairs) || n == 0;
  if (result.exact) {
    result.p = n == 0 ? 1 : exact_p(ranks, doubled);
    return result;
  }
  const double m = static_cast<double>(n), mean = m * (m + 1) / 4;
  const double deviation = std::sqrt((m * (m + 1) * (2 * m + 1) - tie_correction / 2) / 24);
  result.p = std::erfc(std::abs(result.plus - mean) / deviation / std::sqrt(2.0));
  return result;
}

std::vector<double> holm_bonferroni(std::span<const double> p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return p[i]; });
  // the smallest is multiplied by the number of tests, the next by one less; none falls below the one before
  std::vector<double> adjusted(p.size());
  double least = 0;
  for (size_t k = 0; k < order.size(); ++k) {
    least = std::max(least, std::min(1.0, static_cast<double>(p.size() - k) * p[order[k]]));
    adjusted[order[k]] = least;
  }
  return adjusted;
}

}  // namespace alps
