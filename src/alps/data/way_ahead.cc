#include "alps/data/way_ahead.h"

#include <cmath>

#include "alps/base/error.h"

namespace alps {

std::vector<size_t> way_ahead(std::span<const float> rows, size_t dim, double distance) {
  const size_t n = rows.size() / dim;
  ALPS_CHECK(n > 0 && rows.size() == n * dim);
  const auto square = static_cast<float>(distance * distance);
  std::vector<size_t> ahead(n, n - 1);
  for (size_t i = 0; i + 1 < n; ++i)
    for (size_t j = i + 1; j < n; ++j) {
      float sum = 0;
      for (size_t k = 0; k < dim; ++k) {
        const float d = rows[j * dim + k] - rows[i * dim + k];
        sum += d * d;
      }
      if (sum < square) continue;
      ahead[i] = j;
      break;
    }
  return ahead;
}

std::vector<size_t> efficient_rows(std::span<const float> rows, size_t dim, std::span<const size_t> ahead, size_t steps,
                                   double efficiency) {
  const size_t n = rows.size() / dim;
  ALPS_CHECK(ahead.size() == n && steps > 0);
  std::vector<size_t> kept;
  for (size_t i = 0; i < n; ++i) {
    if (i + steps < n) {
      double product = 0, taken = 0, best = 0;
      for (size_t k = 0; k < dim; ++k) {
        const double here = rows[i * dim + k], a = rows[(i + steps) * dim + k] - here,
                     b = rows[ahead[i] * dim + k] - here;
        product += a * b;
        taken += a * a;
        best += b * b;
      }
      // no way at all is neither along nor against
      if (product / (std::sqrt(taken * best) + 1e-20) < efficiency) continue;
    }
    kept.push_back(i);
  }
  return kept;
}

}  // namespace alps
