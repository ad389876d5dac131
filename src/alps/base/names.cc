#include "alps/base/names.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "alps/base/error.h"

namespace alps {
namespace {

// Levenshtein's edit distance, one row at a time
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_hint(std::string_view typed, std::span<const std::string> names) {
  const std::string* best = nullptr;
  size_t best_distance = std::max<size_t>(3, typed.size() / 3);
  for (const std::string& name : names) {
    const size_t d = edit_distance(typed, name);
    if (d < best_distance) {
      best = &name;
      best_distance = d;
    }
  }
  return best ? str(", did you mean '", *best, "'?") : "";
}

}  // namespace alps
