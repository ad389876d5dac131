// The union of a few intervals [x_i, y_i], those with x_i < y_i: what interval quasimetric embeddings (Wang and Isola
// 2022) measure. Shared by training (learn/iqe.h) and by whoever asks for a value (plan/goal_value.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace alps {

// Calls stretch(first, last) for each connected piece of the union: numbers of the intervals where it begins and ends.
template <class Stretch>
void walk_union(const float* x, const float* y, int64_t group, std::vector<int64_t>& order, const Stretch& stretch) {
  order.clear();
  for (int64_t i = 0; i < group; ++i) {
    if (!(x[i] < y[i])) continue;
    // groups are small: each interval is put in its place by where it begins
    size_t place = order.size();
    order.push_back(i);
    for (; place > 0 && x[order[place - 1]] > x[i]; --place) order[place] = order[place - 1];
    order[place] = i;
  }
  for (size_t k = 0; k < order.size();) {
    const int64_t first = order[k];
    int64_t last = first;
    for (++k; k < order.size() && x[order[k]] <= y[last]; ++k)
      if (y[order[k]] > y[last]) last = order[k];
    stretch(first, last);
  }
}

}  // namespace alps
