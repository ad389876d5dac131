#include "alps/nn/move_inputs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "alps/base/error.h"

namespace alps {
namespace {

constexpr float kNearness = 0.4f;  // deviations of the leaders
constexpr size_t kMultiples = 3;   // of angles: 1, 2 and 4 times
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
  // columns of each thing, after how many they are
  const std::vector<float>& listed = bundle.vector("mover.things");
  for (size_t at = 0; at < listed.size();) {
    const auto count = static_cast<size_t>(listed[at++]);
    things.emplace_back();
    for (size_t i = 0; i < count && at < listed.size(); ++i) things.back().push_back(static_cast<size_t>(listed[at++]));
  }
  const auto of_state = [&](const std::vector<size_t>& thing) {
    return std::ranges::all_of(thing, [&](size_t k) { return k < s; });
  };
  std::vector<size_t> angles;
  for (const float v : bundle.vector("mover.angles")) angles.push_back(static_cast<size_t>(v));
  const std::vector<float> deviation = bundle.vector_or("normalizer.deviation", {});
  const bool fits = !sizes.empty() && std::accumulate(sizes.begin(), sizes.end(), size_t{0}) == c &&
                    things.size() == sizes.size() && std::ranges::all_of(things, of_state) &&
                    (angles.empty() || (deviation.size() == s && std::ranges::max(angles) + 1 < s)) &&
                    leader.size() == c && slope.size() == c && offset.size() == c && pauses.size() == 1 &&
                    std::ranges::all_of(columns, [&](size_t k) { return k < s; }) &&
                    std::ranges::all_of(leader, [&](int k) { return k < static_cast<int>(s); });
  if (!fits) throw Error("the vectors of the mover do not fit together; train the run anew with alps train");
  pause = pauses[0];
  set_angles(angles, bundle.vector("normalizer.mean"), deviation);
}

void MoveInputs::store(Bundle& bundle) const {
  bundle.vectors["mover.sizes"] = floats(sizes);
  bundle.vectors["mover.columns"] = floats(columns);
  bundle.vectors["mover.leader"] = floats(leader);
  bundle.vectors["mover.slope"] = slope;
  bundle.vectors["mover.offset"] = offset;
  bundle.vectors["mover.pause"] = {pause};
  std::vector<float>& angles = bundle.vectors["mover.angles"] = {};
  for (const Angle& a : of_agent_) angles.push_back(static_cast<float>(a.column));
  for (const auto& of_thing : of_thing_)
    for (const Angle& a : of_thing) angles.push_back(static_cast<float>(a.column));
  std::vector<float>& listed = bundle.vectors["mover.things"] = {};
  for (const auto& thing : things) {
    listed.push_back(static_cast<float>(thing.size()));
    listed.insert(listed.end(), thing.begin(), thing.end());
  }
}

size_t MoveInputs::largest() const { return std::ranges::max(sizes); }

size_t MoveInputs::largest_thing() const { return std::ranges::max(things, {}, &std::vector<size_t>::size).size(); }

void MoveInputs::set_angles(const std::vector<size_t>& columns, const std::vector<float>& mean,
                            const std::vector<float>& deviation) {
  of_agent_.clear();
  of_thing_.assign(sizes.size(), {});
  for (const size_t k : columns) {
    const Angle angle{k, {mean[k], mean[k + 1]}, {deviation[k], deviation[k + 1]}};
    size_t touched = 0;
    for (size_t f = 0; f < things.size(); ++f) {
      const auto own = std::ranges::count_if(things[f], [&](size_t c) { return c == k || c == k + 1; });
      touched += static_cast<size_t>(own);
      if (own == 2) of_thing_[f].push_back(angle);
    }
    if (touched == 0) of_agent_.push_back(angle);
  }
}

size_t MoveInputs::turns() const {
  size_t most = 0;
  for (const auto& of_thing : of_thing_) most = std::max(most, of_thing.size());
  return 2 * kMultiples * most * of_agent_.size();
}

std::complex<float> MoveInputs::direction(const Angle& angle, std::span<const float> state) {
  const std::complex<float> c(angle.mean[0] + angle.deviation[0] * state[angle.column],
                              angle.mean[1] + angle.deviation[1] * state[angle.column + 1]);
  return c / std::max(std::abs(c), 1e-3f);
}

void MoveInputs::fill(std::span<const float> state, size_t factor, std::span<const float> rested,
                      std::span<const float> to, float since, float* out) const {
  std::ranges::copy(state, out);
  float *const which = out + state.size(), *const thing = which + sizes.size();
  float *const way = thing + largest_thing(), *const lead = way + largest(), *const fine = lead + largest();
  float *const gone = fine + largest(), *turn = gone + 2 * largest(), *const ago = turn + turns();
  std::fill(which, ago, 0.0f);
  which[factor] = 1;
  for (size_t i = 0; i < things[factor].size(); ++i) {
    const size_t k = things[factor][i];
    thing[i] = state[k];
    out[k] = 0;
  }
  const size_t first = first_of(factor);
  for (size_t i = 0; i < sizes[factor]; ++i) {
    const size_t k = first + i;
    const float here = state[columns[k]];
    way[i] = to[i] - here;
    gone[i] = here - rested[i];
    gone[largest() + i] = std::tanh(kFine * gone[i]);
    if (leader[k] < 0) continue;
    lead[i] = state[leader[k]] - slope[k] * here - offset[k];
    fine[i] = std::tanh(kFine * lead[i]);
  }
  const std::vector<Angle> none;
  for (const Angle& of_thing : of_thing_.empty() ? none : of_thing_[factor])
    for (const Angle& of_agent : of_agent_) {
      std::complex<float> turned = direction(of_agent, state) * std::conj(direction(of_thing, state));
      for (size_t doubled = 0; doubled < kMultiples; ++doubled, turned *= turned) {
        *turn++ = turned.real();
        *turn++ = turned.imag();
      }
    }
  *ago = std::min(since, pause) / pause;
}

size_t MoveInputs::first_of(size_t factor) const {
  return std::accumulate(sizes.begin(), sizes.begin() + static_cast<ptrdiff_t>(factor), size_t{0});
}

void MoveInputs::fill_outcome(std::span<const float> values, size_t factor, std::span<const float> to, size_t other,
                              float* out) const {
  const size_t f = sizes.size(), m = largest(), first = first_of(factor), others = first_of(other);
  float *const which = out, *const own = which + 2 * f, *const way = own + m, *const seen = way + m;
  float *const there = seen + m, *const here = there + 2 * m, *const near = here + 2 * m;
  std::fill(out, near + 2, 0.0f);
  which[factor] = which[f + other] = 1;
  for (size_t i = 0; i < sizes[factor]; ++i) {
    own[i] = values[first + i];
    way[i] = to[i] - own[i];
  }
  if (other == factor) return;

  // in one frame where both have the same leader
  const auto in_frame = [&](size_t k, float value) { return slope[k] * value + offset[k]; };
  float far_there = 0, far_here = 0;
  bool framed = false;
  for (size_t j = 0; j < sizes[other]; ++j) {
    seen[j] = values[others + j];
    for (size_t i = 0; i < sizes[factor]; ++i) {
      if (leader[first + i] < 0 || leader[first + i] != leader[others + j]) continue;
      framed = true;
      there[j] = in_frame(first + i, to[i]) - in_frame(others + j, seen[j]);
      here[j] = in_frame(first + i, own[i]) - in_frame(others + j, seen[j]);
      there[m + j] = std::tanh(kFine * there[j]);
      here[m + j] = std::tanh(kFine * here[j]);
    }
    far_there += there[j] * there[j];
    far_here += here[j] * here[j];
  }
  if (!framed) return;
  near[0] = std::exp(-far_there / (kNearness * kNearness));
  near[1] = std::exp(-far_here / (kNearness * kNearness));
}

float stir(std::span<const float> states, size_t size) {
  float sum = 0;
  for (size_t k = 0; k < size; ++k) {
    float least = states[k], greatest = states[k];
    for (size_t i = k; i < states.size(); i += size) {
      least = std::min(least, states[i]);
      greatest = std::max(greatest, states[i]);
    }
    sum += greatest - least;
  }
  return sum / static_cast<float>(size);
}

}  // namespace alps
