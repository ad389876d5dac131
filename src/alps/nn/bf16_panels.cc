#include "alps/nn/bf16_panels.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "alps/base/error.h"

#if defined(__x86_64__)
// g++ 12 takes the undefined vectors of its own headers for mistakes
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#define ALPS_BF16 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512bf16")))
#endif

namespace alps {
namespace {

// $ALPS_PRECISION decides for a whole process; without it, a processor that has the instructions uses them
bool as_wished(bool supported) {
  const char* text = std::getenv("ALPS_PRECISION");
  const std::string_view wish = text ? text : "";
  if (wish == "fp32") return false;
  if (wish == "bf16" && !supported)
    throw UsageError(
        "ALPS_PRECISION=bf16: this processor has no instructions for it (AVX-512 BF16); choose fp32 or auto");
  if (!wish.empty() && wish != "auto" && wish != "bf16")
    throw UsageError("ALPS_PRECISION=", wish, ": no such precision; choose auto, fp32 or bf16");
  return supported;
}

}  // namespace

#if !defined(__x86_64__)

bool has_bf16() { return as_wished(false); }
void Bf16Panels::pack(const float*, const float*, size_t, size_t) { ALPS_CHECK(false); }
void Bf16Panels::pack_transposed(const float*, size_t, size_t) { ALPS_CHECK(false); }
void Bf16Panels::apply(const float*, size_t, float*, float) const { ALPS_CHECK(false); }
void add_bf16_outer(const uint32_t*, const uint32_t*, size_t, float*, size_t) { ALPS_CHECK(false); }
template <size_t kWide>
void Bf16Pairs<kWide>::put(size_t, const float*, size_t, size_t) {
  ALPS_CHECK(false);
}
template <size_t kWide>
void Bf16Pairs<kWide>::clear_where_zero(size_t, size_t, size_t, float*) const {
  ALPS_CHECK(false);
}

#else

namespace {

constexpr size_t kPanel = Bf16Panels::kPanel;
constexpr size_t kTile = Bf16Panels::kTile;

// Where the weight of a column lies in its panel. Interleaving the low and the high words of each 128-bit lane of two
// inputs then gives the columns 0 .. 15 and 16 .. 31 in order.
constexpr size_t place_of(size_t column) {
  const size_t within = column % 16;
  return within / 4 * 8 + within % 4 + (column < 16 ? 0 : 4);
}

// up to 16 of `count` numbers
ALPS_BF16 __mmask16 first_of(size_t count) { return count >= 16 ? 0xFFFF : (__mmask16)((1u << count) - 1); }

ALPS_BF16 void to_bf16(const float* from, size_t count, uint16_t* to) {
  for (size_t i = 0; i < count; i += 16) {
    const __mmask16 mask = first_of(count - i);
    const __m256bh rounded = _mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(mask, from + i));
    _mm256_mask_storeu_epi16(to + i, mask, (__m256i)rounded);
  }
}

// columns of a panel for one input, in their places; `count` of them
ALPS_BF16 void place_columns(const float* columns, size_t count, uint16_t* to) {
  alignas(64) static constexpr auto kOrder = [] {
    std::array<uint16_t, kPanel> order{};
    for (size_t c = 0; c < kPanel; ++c) order[place_of(c)] = static_cast<uint16_t>(c);
    return order;
  }();
  const __m512 low = _mm512_maskz_loadu_ps(first_of(count), columns);
  const __m512 high = _mm512_maskz_loadu_ps(count > 16 ? first_of(count - 16) : 0, columns + 16);
  const __m512i rounded = (__m512i)_mm512_cvtne2ps_pbh(high, low);
  _mm512_storeu_si512(to, _mm512_permutexvar_epi16(_mm512_load_si512(kOrder.data()), rounded));
}

// The inputs of `rows` rows that are not zero in all of them: which they are, and their values (rows, stride) in bf16,
// two by two with the later one first, as the instruction adds them. Returns how many, made even by a zero.
ALPS_BF16 size_t move_together(const float* in, size_t rows, size_t inputs, uint16_t* values, size_t stride,
                               uint16_t* which) {
  alignas(64) static constexpr auto kCount = [] {
    std::array<uint16_t, 32> count{};
    for (size_t i = 0; i < 32; ++i) count[i] = static_cast<uint16_t>(i);
    return count;
  }();
  __m512i index = _mm512_load_si512(kCount.data());
  size_t count = 0;
  for (size_t k = 0; k < inputs; k += 32) {
    const __mmask16 low = first_of(inputs - k), high = inputs - k > 16 ? first_of(inputs - k - 16) : 0;
    __m512i row[kTile], any = _mm512_setzero_si512();
    for (size_t r = 0; r < rows; ++r) {
      const float* from = in + r * inputs + k;
      row[r] = (__m512i)_mm512_cvtne2ps_pbh(_mm512_maskz_loadu_ps(high, from + 16), _mm512_maskz_loadu_ps(low, from));
      any = _mm512_or_si512(any, row[r]);
    }
    const __mmask32 used = _mm512_test_epi16_mask(any, any);
    for (size_t r = 0; r < rows; ++r)
      _mm512_storeu_si512(values + r * stride + count, _mm512_maskz_compress_epi16(used, row[r]));
    _mm512_storeu_si512(which + count, _mm512_maskz_compress_epi16(used, index));
    index = _mm512_add_epi16(index, _mm512_set1_epi16(32));
    count += static_cast<size_t>(__builtin_popcount(used));
  }
  if (count % 2 == 1) {
    for (size_t r = 0; r < rows; ++r) values[r * stride + count] = 0;
    which[count] = which[count - 1];
    ++count;
  }
  for (size_t r = 0; r < rows; ++r)
    for (size_t k = 0; k < count; k += 32) {
      uint16_t* pairs = values + r * stride + k;
      _mm512_storeu_si512(pairs, _mm512_ror_epi32(_mm512_loadu_si512(pairs), 16));
    }
  return count;
}

// a tile of a layer's inputs, moved together
struct Tile {
  const uint16_t *values, *which;
  size_t stride, count;
};

// out (kRows, columns), rows `stride` apart, = bias + x panel, at least `least`
template <size_t kRows>
ALPS_BF16 void multiply(const Tile& x, const uint16_t* panel, const float* bias, float least, float* out, size_t stride,
                        size_t columns) {
  __m512 sums[kRows][2];
  for (size_t r = 0; r < kRows; ++r) {
    // what is written at the end may be far away
    __builtin_prefetch(out + r * stride, 1);
    __builtin_prefetch(out + r * stride + 16, 1);
    sums[r][0] = _mm512_loadu_ps(bias);
    sums[r][1] = _mm512_loadu_ps(bias + 16);
  }
  for (size_t k = 0; k < x.count; k += 2) {
    const __m512i first = _mm512_loadu_si512(panel + x.which[k] * kPanel);
    const __m512i second = _mm512_loadu_si512(panel + x.which[k + 1] * kPanel);
    const __m512bh low = (__m512bh)_mm512_unpacklo_epi16(second, first);
    const __m512bh high = (__m512bh)_mm512_unpackhi_epi16(second, first);
#pragma GCC unroll 6
    for (size_t r = 0; r < kRows; ++r) {
      int pair;
      __builtin_memcpy(&pair, x.values + r * x.stride + k, sizeof pair);
      const __m512bh input = (__m512bh)_mm512_set1_epi32(pair);
      sums[r][0] = _mm512_dpbf16_ps(sums[r][0], input, low);
      sums[r][1] = _mm512_dpbf16_ps(sums[r][1], input, high);
    }
  }
  // what is not a number stays that
  const __m512 bound = _mm512_set1_ps(least);
  const __mmask16 low = first_of(columns), high = columns > 16 ? first_of(columns - 16) : 0;
  for (size_t r = 0; r < kRows; ++r) {
    _mm512_mask_storeu_ps(out + r * stride, low, _mm512_max_ps(bound, sums[r][0]));
    _mm512_mask_storeu_ps(out + r * stride + 16, high, _mm512_max_ps(bound, sums[r][1]));
  }
}

using Kernel = void (*)(const Tile&, const uint16_t*, const float*, float, float*, size_t, size_t);
constexpr Kernel kKernels[] = {multiply<1>, multiply<2>, multiply<3>, multiply<4>, multiply<5>, multiply<6>};

}  // namespace

bool has_bf16() {
  static const bool has = as_wished(__builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512vbmi2") &&
                                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                                    __builtin_cpu_supports("avx512bw"));
  return has;
}

void Bf16Panels::resize(size_t inputs, size_t outputs) {
  ALPS_CHECK(inputs < 65536);  // `which` holds 16 bits
  const size_t panels = (outputs + kPanel - 1) / kPanel;
  if (inputs != inputs_ || outputs != outputs_) {
    values_.assign(panels * kPanel * inputs, 0);  // missing columns stay zero
    bias_.assign(panels * kPanel, 0.0f);
  }
  inputs_ = inputs;
  outputs_ = outputs;
}

void Bf16Panels::pack(const float* weight, const float* bias, size_t inputs, size_t outputs) {
  resize(inputs, outputs);
  std::copy_n(bias, outputs, bias_.data());
  thread_local std::vector<uint16_t> own_row;
  std::vector<uint16_t>& row = own_row;
  row.resize(kPanel * inputs);
  for (size_t first = 0; first < outputs; first += kPanel) {
    const size_t columns = std::min(kPanel, outputs - first);
    to_bf16(weight + first * inputs, columns * inputs, row.data());
    uint16_t* panel = values_.data() + first * inputs;
    for (size_t o = 0; o < columns; ++o)
      for (size_t k = 0, at = place_of(o); k < inputs; ++k) panel[k * kPanel + at] = row[o * inputs + k];
  }
}

void Bf16Panels::pack_transposed(const float* weight, size_t inputs, size_t outputs) {
  resize(outputs, inputs);
  for (size_t first = 0; first < inputs; first += kPanel) {
    uint16_t* panel = values_.data() + first * outputs;
    const size_t columns = std::min(kPanel, inputs - first);
    for (size_t o = 0; o < outputs; ++o) place_columns(weight + o * inputs + first, columns, panel + o * kPanel);
  }
}

void Bf16Panels::apply(const float* in, size_t rows, float* out, float least) const {
  const size_t tiles = (rows + kTile - 1) / kTile;
  const size_t stride = (inputs_ + 31) / 32 * 32 + 32;  // whole vectors are written, up to one beyond the last input
  thread_local std::vector<uint16_t> own_values;
  thread_local std::vector<Tile> own_tiles;
  std::vector<uint16_t>& values = own_values;  // looked up once
  std::vector<Tile>& x = own_tiles;
  values.resize(tiles * (kTile + 1) * stride);
  x.resize(tiles);
  for (size_t tile = 0; tile < tiles; ++tile) {
    uint16_t* own = values.data() + tile * (kTile + 1) * stride;
    const size_t first = tile * kTile;
    const size_t count =
        move_together(in + first * inputs_, std::min(kTile, rows - first), inputs_, own, stride, own + kTile * stride);
    x[tile] = {own, own + kTile * stride, stride, count};
  }
  for (size_t first = 0; first < outputs_; first += kPanel)
    for (size_t tile = 0; tile < tiles; ++tile) {
      const size_t row = tile * kTile;
      kKernels[std::min(kTile, rows - row) - 1](x[tile], values_.data() + first * inputs_, bias_.data() + first, least,
                                                out + row * outputs_ + first, outputs_,
                                                std::min(kPanel, outputs_ - first));
    }
}

ALPS_BF16 void add_bf16_outer(const uint32_t* z, const uint32_t* x, size_t pairs, float* out, size_t stride) {
  __m512 sums[kOuter][2];
  for (size_t r = 0; r < kOuter; ++r)
    for (size_t v = 0; v < 2; ++v) sums[r][v] = _mm512_loadu_ps(out + r * stride + 16 * v);
  for (size_t k = 0; k < pairs; ++k) {
    const __m512bh low = (__m512bh)_mm512_loadu_si512(x + k * kPanel);
    const __m512bh high = (__m512bh)_mm512_loadu_si512(x + k * kPanel + 16);
#pragma GCC unroll 8
    for (size_t r = 0; r < kOuter; ++r) {
      const __m512bh factor = (__m512bh)_mm512_set1_epi32(static_cast<int>(z[k * kOuter + r]));
      sums[r][0] = _mm512_dpbf16_ps(sums[r][0], factor, low);
      sums[r][1] = _mm512_dpbf16_ps(sums[r][1], factor, high);
    }
  }
  for (size_t r = 0; r < kOuter; ++r)
    for (size_t v = 0; v < 2; ++v) _mm512_storeu_ps(out + r * stride + 16 * v, sums[r][v]);
}

template <size_t kWide>
ALPS_BF16 void Bf16Pairs<kWide>::put(size_t first, const float* from, size_t count, size_t size) {
  alignas(64) static constexpr auto kZip = [] {
    std::array<uint16_t, 32> order{};
    for (size_t i = 0; i < 32; ++i) order[i] = static_cast<uint16_t>(i / 2 + (i % 2 ? 16 : 0));
    return order;
  }();
  const __m512i zip = _mm512_load_si512(kZip.data());
  const size_t end = (size + 31) / 32 * 32;
  for (size_t r = 0; r < count; r += 2) {
    const float* row = from + r * size;
    uint32_t* to = values.data() + (first + r) / 2 * kWide;
    for (size_t c = 0; c < end; c += 16) {
      const __mmask16 there = c < size ? first_of(size - c) : 0;
      const __m512 one = _mm512_maskz_loadu_ps(there, row + c);
      const __m512 two = _mm512_maskz_loadu_ps(r + 1 < count ? there : 0, row + size + c);
      const __m512i zipped = _mm512_permutexvar_epi16(zip, (__m512i)_mm512_cvtne2ps_pbh(two, one));
      uint32_t* group = to + c / kWide * stride;
      if constexpr (kWide == kOuter) {
        _mm256_storeu_si256((__m256i*)group, _mm512_castsi512_si256(zipped));
        _mm256_storeu_si256((__m256i*)(group + stride), _mm512_extracti64x4_epi64(zipped, 1));
      } else {
        _mm512_storeu_si512(group + c % kWide, zipped);
      }
    }
  }
}

template <size_t kWide>
ALPS_BF16 void Bf16Pairs<kWide>::clear_where_zero(size_t first, size_t count, size_t size, float* out) const {
  static_assert(kWide % 16 == 0 || kWide == kOuter);
  ALPS_CHECK(kWide % 16 == 0);
  const __m512i of_one = _mm512_set1_epi32(0x00007FFF), of_two = _mm512_set1_epi32(0x7FFF0000);  // all but the sign
  for (size_t r = 0; r < count; r += 2)
    for (size_t c = 0; c < size; c += 16) {
      const __m512i pair = _mm512_loadu_si512(group(c / kWide, first + r) + c % kWide);
      const __mmask16 there = first_of(size - c);
      float* to = out + r * size + c;
      _mm512_mask_storeu_ps(to, there & ~_mm512_test_epi32_mask(pair, of_one), _mm512_setzero_ps());
      if (r + 1 < count)
        _mm512_mask_storeu_ps(to + size, there & ~_mm512_test_epi32_mask(pair, of_two), _mm512_setzero_ps());
    }
}

#endif

template <size_t kWide>
void Bf16Pairs<kWide>::resize(size_t rows, size_t size) {
  stride = (rows + 1) / 2 * kWide + 16;  // groups a power of two apart would share the same few lines of the cache
  values.resize((size + 31) / 32 * 32 / kWide * stride);
}

template struct Bf16Pairs<kOuter>;
template struct Bf16Pairs<Bf16Panels::kPanel>;

}  // namespace alps
