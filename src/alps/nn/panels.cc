#include "alps/nn/panels.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "alps/base/simd.h"

namespace alps {
namespace {

constexpr size_t kPanel = Panels::kPanel;
constexpr size_t kTile = Panels::kTile;  // 6 x 16 floats stay in registers

// out (kTile, kPanel), with rows `stride` apart, = bias + x panel, with panel (inputs, kPanel); at least `least`. The
// sum runs over all of `count` inputs, or over those listed in `which`. kRows rows at once, in vectors V.
template <class V, size_t kRows, bool kListed>
ALPS_INLINE void multiply(const float* const* x, const uint32_t* which, size_t count, const float* panel,
                          const float* bias, float least, float* out, size_t stride) {
  constexpr size_t kLanes = sizeof(V) / sizeof(float), kVectors = kPanel / kLanes;
  const auto at = [](auto* values) -> auto& {
    return *reinterpret_cast<std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(values)>>, const V, V>*>(
        values);
  };
  V sums[kRows][kVectors];
  for (size_t r = 0; r < kRows; ++r)
    for (size_t v = 0; v < kVectors; ++v) sums[r][v] = at(bias + v * kLanes);
  for (size_t i = 0; i < count; ++i) {
    const size_t k = kListed ? which[i] : i;
    V weights[kVectors];
    for (size_t v = 0; v < kVectors; ++v) weights[v] = at(panel + k * kPanel + v * kLanes);
#pragma GCC unroll 6
    for (size_t r = 0; r < kRows; ++r)
      for (size_t v = 0; v < kVectors; ++v) sums[r][v] += x[r][k] * weights[v];
  }
  for (size_t r = 0; r < kRows; ++r)
    for (size_t v = 0; v < kVectors; ++v)
      at(out + r * stride + v * kLanes) = sums[r][v] < least ? V{} + least : sums[r][v];
}
ALPS_CLONES void multiply_all(const float* const* x, const uint32_t* which, size_t count, const float* panel,
                              const float* bias, float least, float* out, size_t stride) {
  multiply<Vector, kTile, false>(x, which, count, panel, bias, least, out, stride);
}
ALPS_CLONES void multiply_listed(const float* const* x, const uint32_t* which, size_t count, const float* panel,
                                 const float* bias, float least, float* out, size_t stride) {
  multiply<Vector, kTile, true>(x, which, count, panel, bias, least, out, stride);
}
void multiply_narrow(const float* const* x, const uint32_t* which, size_t count, const float* panel, const float* bias,
                     float least, float* out, size_t stride) {
  constexpr size_t kRows = 3;
  for (size_t r = 0; r < kTile; r += kRows)
    which ? multiply<Quad, kRows, true>(x + r, which, count, panel, bias, least, out + r * stride, stride)
          : multiply<Quad, kRows, false>(x + r, which, count, panel, bias, least, out + r * stride, stride);
}

// the inputs that are not zero in all of the rows; returns how many
ALPS_CLONES size_t list_inputs(const float* const* x, size_t inputs, uint32_t* which) {
  size_t count = 0, k = 0;
  for (; k + 8 <= inputs; k += 8) {
    Integers bits = {};
    for (size_t r = 0; r < kTile; ++r) bits |= integers_at(x[r] + k);
    const Integers used = bits != 0;  // -1 or 0
    for (size_t i = 0; i < 8; ++i) {
      which[count] = static_cast<uint32_t>(k + i);
      count -= used[i];
    }
  }
  for (; k < inputs; ++k) which[count++] = static_cast<uint32_t>(k);
  return count;
}

ALPS_CLONES void clear_where_zero(const float* mask, size_t size, float* out) {
  size_t i = 0;
  for (; i + 8 <= size; i += 8) vector_at(out + i) = vector_at(mask + i) > 0 ? vector_at(out + i) : Vector{};
  for (; i < size; ++i) out[i] = mask[i] > 0 ? out[i] : 0.0f;
}

}  // namespace

void Panels::resize(size_t inputs, size_t outputs) {
  const size_t size = (outputs + kPanel - 1) / kPanel * (inputs + 1) * kPanel;
  if (inputs != inputs_ || outputs != outputs_) values_.assign(size, 0.0f);  // missing columns stay zero
  inputs_ = inputs;
  outputs_ = outputs;
}

void Panels::pack(const float* weight, const float* bias, size_t inputs, size_t outputs, Precision precision) {
  precision_ = precision;
  if (precision == Precision::kBf16) return bf16_.pack(weight, bias, inputs, outputs);
  resize(inputs, outputs);
  for (size_t first = 0; first < outputs; first += kPanel) {
    float* panel = values_.data() + first * (inputs + 1);
    const size_t columns = std::min(kPanel, outputs - first);
    std::copy_n(bias + first, columns, panel);
    for (size_t k = 0; k < inputs; ++k)
      for (size_t o = 0; o < columns; ++o) panel[(k + 1) * kPanel + o] = weight[(first + o) * inputs + k];
  }
}

void Panels::pack_transposed(const float* weight, size_t inputs, size_t outputs, Precision precision) {
  precision_ = precision;
  if (precision == Precision::kBf16) return bf16_.pack_transposed(weight, inputs, outputs);
  resize(outputs, inputs);
  for (size_t first = 0; first < inputs; first += kPanel) {
    float* panel = values_.data() + first * (outputs + 1) + kPanel;
    for (size_t o = 0; o < outputs; ++o)
      std::copy_n(weight + o * inputs + first, std::min(kPanel, inputs - first), panel + o * kPanel);
  }
}

void Panels::apply(const float* in, size_t rows, float* out, After after, Input input, const float* mask) const {
  const float least = after == After::kRelu ? 0.0f : -std::numeric_limits<float>::infinity();
  if (precision_ == Precision::kBf16) {
    bf16_.apply(in, rows, out, least);
    if (after == After::kMask) clear_where_zero(mask, rows * bf16_.outputs(), out);
    return;
  }
  const size_t tiles = (rows + kTile - 1) / kTile;
  // the last tile repeats its last row rather than taking another code path
  const auto tile_rows = [&](size_t tile, const float** x) {
    for (size_t r = 0; r < kTile; ++r) x[r] = in + std::min(tile * kTile + r, rows - 1) * inputs_;
  };
  const float* x[kTile];

  const bool listed = input == Input::kRelu;
  thread_local std::vector<uint32_t> own_which, own_counts;
  std::vector<uint32_t>&which = own_which, &counts = own_counts;  // looked up once
  if (listed) {
    which.resize(tiles * inputs_);
    counts.resize(tiles);
    for (size_t tile = 0; tile < tiles; ++tile) {
      tile_rows(tile, x);
      counts[tile] = static_cast<uint32_t>(list_inputs(x, inputs_, &which[tile * inputs_]));
    }
  }

  const auto kernel = !wide_registers() ? multiply_narrow : listed ? multiply_listed : multiply_all;
  float block[kTile * kPanel];
  for (size_t first = 0; first < outputs_; first += kPanel) {
    const float* bias = values_.data() + first * (inputs_ + 1);
    const float* panel = bias + kPanel;
    const size_t columns = std::min(kPanel, outputs_ - first);
    for (size_t tile = 0; tile < tiles; ++tile) {
      tile_rows(tile, x);
      const size_t row = tile * kTile;
      const bool whole = columns == kPanel && row + kTile <= rows;
      float* to = out + row * outputs_ + first;
      float* there = whole ? to : block;
      const size_t stride = whole ? outputs_ : kPanel;
      kernel(x, listed ? &which[tile * inputs_] : nullptr, listed ? counts[tile] : inputs_, panel, bias, least, there,
             stride);
      if (!whole)
        for (size_t r = 0; r < std::min(kTile, rows - row); ++r)
          std::copy_n(block + r * kPanel, columns, to + r * outputs_);
    }
  }
  if (after == After::kMask) clear_where_zero(mask, rows * outputs_, out);
}

}  // namespace alps
