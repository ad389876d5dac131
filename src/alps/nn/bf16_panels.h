// Panels in bf16, for processors that multiply it (AVX-512 BF16): twice the products a cycle of fp32. Weights and
// inputs are rounded to 8 bits of mantissa, products are exact and sums are fp32. Inputs that are zero in all rows of a
// tile are left out as in panels.h: the others are moved together, in pairs, and the weights of a pair are interleaved
// while they are loaded, which costs nothing beside the products. An instruction adds the products of a pair one after
// the other, so the sum of one output runs over its inputs in order whatever the pairs are: a row's result does not
// depend on the other rows of its batch. And what the gradients of weights need: sums over rows of outer products, two
// rows at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace alps {

// Whether this processor has the instructions, and $ALPS_PRECISION (auto, fp32 or bf16) lets us use them; a UsageError
// for another value of that. Where it is false, the functions below must not be called.
bool has_bf16();

class Bf16Panels {
 public:
  static constexpr size_t kPanel = 32;  // columns computed together
  static constexpr size_t kTile = 6;    // rows computed together

  // of weight (outputs, inputs), with bias (outputs); or of the same weight transposed, without bias: outputs -> inputs
  void pack(const float* weight, const float* bias, size_t inputs, size_t outputs);
  void pack_transposed(const float* weight, size_t inputs, size_t outputs);

  size_t outputs() const { return outputs_; }
  // in (rows, inputs) -> out (rows, outputs), each at least `least`
  void apply(const float* in, size_t rows, float* out, float least) const;

 private:
  void resize(size_t inputs, size_t outputs);

  size_t inputs_ = 0, outputs_ = 0;
  std::vector<uint16_t> values_;  // of each panel: the weights of its columns for each input
  std::vector<float> bias_;
};

// Numbers of two rows at a time, as bf16: columns in groups of kWide side by side, each group (pairs, kWide)
template <size_t kWide>
struct Bf16Pairs {
  std::vector<uint32_t> values;
  size_t stride = 0;  // from group to group

  void resize(size_t rows, size_t size);
  // rows first .. first + count (first is even) of a matrix with `size` columns; zero beyond the last row and column
  void put(size_t first, const float* from, size_t count, size_t size);
  // zero in out (count, size) where the number of the same row and column is zero
  void clear_where_zero(size_t first, size_t count, size_t size, float* out) const;
  // a group from row `first` (even) on
  const uint32_t* group(size_t g, size_t first = 0) const { return values.data() + g * stride + first / 2 * kWide; }
};

// out (kOuter, kPanel), rows `stride` apart, += z^T x over pairs of rows: z (pairs, kOuter), x (pairs, kPanel)
inline constexpr size_t kOuter = 8;
void add_bf16_outer(const uint32_t* z, const uint32_t* x, size_t pairs, float* out, size_t stride);

}  // namespace alps
