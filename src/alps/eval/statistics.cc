#include "alps/eval/statistics.h"

#include <algorithm>
#include <cmath>

namespace alps {

Interval wilson(size_t successes, size_t trials, double z) {
  if (trials == 0) return {};
  const double n = static_cast<double>(trials), p = static_cast<double>(successes) / n;
  const double center = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z / (1 + z * z / n) * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  return {std::max(0.0, center - half), std::min(1.0, center + half)};
}

}  // namespace alps
