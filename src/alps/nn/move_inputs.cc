#include "alps/nn/move_inputs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "alps/base/error.h"

namespace alps {
namespace {

constexpr float kNearness = 0.4f;  // deviations of the leaders
constexpr float kFine = 5;         // the squashed lead is linear within a fifth of a deviation

std::vector<float> floats(const auto& values) { return {values.begin(), values.end()}; }

}  // namespace

MoveInputs::MoveInputs(const Bundle& bundle) {
  for (const float v : bundle.vector("mover.sizes")) sizes.push_back(static_cast<size_t>(v));
  for (const float v : bundle.vector("mover.columns")) columns.push_back(static_cast<size_t>(v));
  for (const float v : bundle.vector("mover.leader")) leader.push_back(static_cast<int>(v));
  slope = bundle.vector("mover.slope");
  offset = bundle.vector("mover.offset");
  const std::vector<float>& pauses = bundle.vector("mover.pause");
  const size_t c = columns.size(), s = bundle.state_size();
  const bool fits = !sizes.empty() && std::accumulate(sizes.begin(), sizes.end(), size_t{0}) == c &&
                    leader.size() == c && slope.size() == c && offset.size() == c && pauses.size() == 1 &&
                    std::ranges::all_of(columns, [&](size_t k) { return k < s; }) &&
                    std::ranges::all_of(leader, [&](int k) { return k < static_cast<int>(s); });
  if (!fits) throw Error("the vectors of the mover do not fit together; train the run anew with alps train");
  pause = pauses[0];
}

void MoveInputs::store(Bundle& bundle) const {
  bundle.vectors["mover.sizes"] = floats(sizes);
  bundle.vectors["mover.columns"] = floats(columns);
  bundle.vectors["mover.leader"] = floats(leader);
  bundle.vectors["mover.slope"] = slope;
  bundle.vectors["mover.offset"] = offset;
  bundle.vectors["mover.pause"] = {pause};
}

void MoveInputs::fill(std::span<const float> state, size_t factor, std::span<const float> to, float since,
                      float* out) const {
  const size_t f = sizes.size(), c = columns.size();
  std::ranges::copy(state, out);
  float* const which = out + state.size();
  float *const way = which + f, *const lead = way + c, *const fine = lead + c;
  std::fill(which, fine + c, 0.0f);
  which[factor] = 1;
  const size_t first = first_of(factor);
  for (size_t i = 0; i < sizes[factor]; ++i) {
    const size_t k = first + i;
    const float here = state[columns[k]];
    way[k] = to[i] - here;
    if (leader[k] < 0) continue;
    lead[k] = state[leader[k]] - slope[k] * here - offset[k];
    fine[k] = std::tanh(kFine * lead[k]);
  }
  fine[c] = std::min(since, pause) / pause;
}

size_t MoveInputs::first_of(size_t factor) const {
  return std::accumulate(sizes.begin(), sizes.begin() + static_cast<ptrdiff_t>(factor), size_t{0});
}

void MoveInputs::fill_outcome(std::span<const float> values, size_t factor, std::span<const float> to,
                              float* out) const {
  const size_t f = sizes.size(), c = columns.size(), first = first_of(factor), last = first + sizes[factor];
  std::ranges::copy(values, out);
  float *const which = out + c, *const way = which + f, *const there = way + c, *const here = there + 2 * c;
  float *const near_there = here + 2 * c, *const near_here = near_there + f;
  std::fill(which, near_here + f, 0.0f);
  which[factor] = 1;
  for (size_t k = first; k < last; ++k) way[k] = to[k - first] - values[k];
  const auto in_frame = [&](size_t k, float value) { return slope[k] * value + offset[k]; };
  for (size_t k = first; k < last; ++k)
    for (size_t j = 0; j < c; ++j) {
      if ((j >= first && j < last) || leader[k] < 0 || leader[k] != leader[j]) continue;
      const float other = in_frame(j, values[j]);
      there[j] = in_frame(k, to[k - first]) - other;
      here[j] = in_frame(k, values[k]) - other;
      there[c + j] = std::tanh(kFine * there[j]);
      here[c + j] = std::tanh(kFine * here[j]);
    }
  for (size_t h = 0, j = 0; h < f; j += sizes[h++]) {
    float far_there = 0, far_here = 0;
    bool framed = false;
    for (size_t i = j; i < j + sizes[h]; ++i) {
      framed |= there[i] != 0 || here[i] != 0;
      far_there += there[i] * there[i];
      far_here += here[i] * here[i];
    }
    if (!framed) continue;
    near_there[h] = std::exp(-far_there / (kNearness * kNearness));
    near_here[h] = std::exp(-far_here / (kNearness * kNearness));
  }
}

}  // namespace alps
