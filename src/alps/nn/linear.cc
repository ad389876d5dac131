#include "alps/nn/linear.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "alps/base/error.h"
#include "alps/base/simd.h"

namespace alps {
namespace {

constexpr size_t kPanel = 16;           // outputs computed together
constexpr size_t kRows = Linear::kTile;  // 6 x 16 floats stay in registers

// out (kRows, kPanel), with rows `stride` apart, = bias + x panel, with panel (inputs, kPanel); at least `least`. The
// sum runs over all of `count` inputs, or over those listed in `which`.
template <bool kListed>
ALPS_INLINE void multiply(const float* const* x, const uint32_t* which, size_t count, const float* panel,
                          const float* bias, float least, float* out, size_t stride) {
  Vector low[kRows], high[kRows];
  for (size_t r = 0; r < kRows; ++r) {
    low[r] = vector_at(bias);
    high[r] = vector_at(bias + 8);
  }
  for (size_t i = 0; i < count; ++i) {
    const size_t k = kListed ? which[i] : i;
    const Vector w_low = vector_at(panel + k * kPanel), w_high = vector_at(panel + k * kPanel + 8);
#pragma GCC unroll 6
    for (size_t r = 0; r < kRows; ++r) {
      low[r] += x[r][k] * w_low;
      high[r] += x[r][k] * w_high;
    }
  }
  for (size_t r = 0; r < kRows; ++r) {
    vector_at(out + r * stride) = low[r] < least ? Vector{} + least : low[r];
    vector_at(out + r * stride + 8) = high[r] < least ? Vector{} + least : high[r];
  }
}
ALPS_CLONES void multiply_all(const float* const* x, size_t inputs, const float* panel, const float* bias, float least,
                              float* out, size_t stride) {
  multiply<false>(x, nullptr, inputs, panel, bias, least, out, stride);
}
ALPS_CLONES void multiply_listed(const float* const* x, const uint32_t* which, size_t count, const float* panel,
                                 const float* bias, float least, float* out, size_t stride) {
  multiply<true>(x, which, count, panel, bias, least, out, stride);
}

// the inputs that are not zero in all of the rows; returns how many
ALPS_CLONES size_t list_inputs(const float* const* x, size_t inputs, uint32_t* which) {
  size_t count = 0, k = 0;
  for (; k + 8 <= inputs; k += 8) {
    Integers bits = {};
    for (size_t r = 0; r < kRows; ++r) bits |= integers_at(x[r] + k);
    const Integers used = bits != 0;  // -1 or 0
    for (size_t i = 0; i < 8; ++i) {
      which[count] = static_cast<uint32_t>(k + i);
      count -= used[i];
    }
  }
  for (; k < inputs; ++k) which[count++] = static_cast<uint32_t>(k);
  return count;
}

}  // namespace

Linear::Linear(size_t inputs, size_t outputs, std::vector<float> weight, std::vector<float> bias)
    : inputs_(inputs), outputs_(outputs), weight_(std::move(weight)), bias_(std::move(bias)) {
  ALPS_CHECK(weight_.size() == inputs * outputs && bias_.size() == outputs);
  // panel p: its bias, then for each input the weights of its outputs; missing outputs are zero
  const size_t panels = (outputs + kPanel - 1) / kPanel;
  panels_.assign(panels * (inputs + 1) * kPanel, 0.0f);
  for (size_t o = 0; o < outputs; ++o) {
    float* panel = panels_.data() + o / kPanel * (inputs + 1) * kPanel;
    panel[o % kPanel] = bias_[o];
    for (size_t k = 0; k < inputs; ++k) panel[(k + 1) * kPanel + o % kPanel] = weight_[o * inputs + k];
  }
}

void Linear::apply(const float* in, size_t rows, float* out, After after, Input input) const {
  const float least = after == After::kRelu ? 0.0f : -std::numeric_limits<float>::infinity();
  const size_t tiles = (rows + kRows - 1) / kRows;
  // the last tile repeats its last row rather than taking another code path
  const auto tile_rows = [&](size_t tile, const float** x) {
    for (size_t r = 0; r < kRows; ++r) x[r] = in + std::min(tile * kRows + r, rows - 1) * inputs_;
  };
  const float* x[kRows];

  const bool listed = input == Input::kRelu;
  thread_local std::vector<uint32_t> which, counts;
  if (listed) {
    which.resize(tiles * inputs_);
    counts.resize(tiles);
    for (size_t tile = 0; tile < tiles; ++tile) {
      tile_rows(tile, x);
      counts[tile] = static_cast<uint32_t>(list_inputs(x, inputs_, &which[tile * inputs_]));
    }
  }

  float block[kRows * kPanel];
  for (size_t first = 0; first < outputs_; first += kPanel) {
    const float* bias = panels_.data() + first / kPanel * (inputs_ + 1) * kPanel;
    const float* panel = bias + kPanel;
    const size_t columns = std::min(kPanel, outputs_ - first);
    for (size_t tile = 0; tile < tiles; ++tile) {
      tile_rows(tile, x);
      const size_t row = tile * kRows;
      const bool whole = columns == kPanel && row + kRows <= rows;
      float* to = out + row * outputs_ + first;
      float* there = whole ? to : block;
      const size_t stride = whole ? outputs_ : kPanel;
      if (listed)
        multiply_listed(x, &which[tile * inputs_], counts[tile], panel, bias, least, there, stride);
      else
        multiply_all(x, inputs_, panel, bias, least, there, stride);
      if (whole) continue;
      for (size_t r = 0; r < std::min(kRows, rows - row); ++r)
        std::copy_n(block + r * kPanel, columns, to + r * outputs_);
    }
  }
}

}  // namespace alps
