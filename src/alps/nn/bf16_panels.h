// Panels in bf16, for processors that multiply it (AVX-512 BF16): twice the products a cycle of fp32. Weights and inputs
// are rounded to 8 bits of mantissa, products are exact and sums are fp32. Inputs that are zero in all rows of a tile are
// left out as in panels.h: the others are moved together, in pairs, and the weights of a pair are interleaved while they
// are loaded, which costs nothing beside the products. An instruction adds the products of a pair one after the other, so
// the sum of one output runs over its inputs in order whatever the pairs are: a row's result does not depend on the
// other rows of its batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace alps {

// whether this processor has the instructions; without them the functions below must not be called
bool has_bf16();

class Bf16Panels {
 public:
  static constexpr size_t kPanel = 32;  // columns computed together
  static constexpr size_t kTile = 6;    // rows computed together

  // of weight (outputs, inputs), with bias (outputs); or of the same weight transposed, without bias: outputs -> inputs
  void pack(const float* weight, const float* bias, size_t inputs, size_t outputs);
  void pack_transposed(const float* weight, size_t inputs, size_t outputs);

  // in (rows, inputs) -> out (rows, outputs), each at least `least`
  void apply(const float* in, size_t rows, float* out, float least) const;

 private:
  void resize(size_t inputs, size_t outputs);

  size_t inputs_ = 0, outputs_ = 0;
  std::vector<uint16_t> values_;  // of each panel: the weights of its columns for each input
  std::vector<float> bias_;
};

}  // namespace alps
