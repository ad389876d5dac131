// The right-hand side of a product of rows with a matrix, packed for the one kernel under all networks: panels of
// kPanel columns, which a tile of kTile rows is multiplied with in registers. The compiler vectorises it for each
// instruction set, and the machine's own copy is chosen when the program starts. The sum of one output runs over the
// inputs in order, so a row's result does not depend on the other rows of its batch. Inputs that are zero in all rows
// of a tile are left out: after a ReLU that is a quarter to two thirds of them where the rows are candidates of one
// search, and it changes no sum.
#pragma once

#include <cstddef>
#include <vector>

#include "alps/nn/bf16_panels.h"

namespace alps {

enum class Precision { kFp32, kBf16 };  // kBf16 only where has_bf16()

class Panels {
 public:
  static constexpr size_t kPanel = 16;  // columns computed together
  static constexpr size_t kTile = 6;    // rows computed together; a multiple of it wastes nothing

  // of weight (outputs, inputs), with bias (outputs); or of the same weight transposed, without bias: outputs -> inputs
  void pack(const float* weight, const float* bias, size_t inputs, size_t outputs,
            Precision precision = Precision::kFp32);
  void pack_transposed(const float* weight, size_t inputs, size_t outputs, Precision precision = Precision::kFp32);

  enum class After { kNothing, kRelu, kMask };  // kMask: zero where `mask` (rows, outputs) is not positive
  enum class Input { kDense, kRelu };           // kRelu: many inputs may be zero
  // in (rows, inputs) -> out (rows, outputs)
  void apply(const float* in, size_t rows, float* out, After after, Input input, const float* mask = nullptr) const;

 private:
  void resize(size_t inputs, size_t outputs);

  Precision precision_ = Precision::kFp32;
  Bf16Panels bf16_;  // does the work in that precision
  size_t inputs_ = 0, outputs_ = 0;
  std::vector<float> values_;  // of each panel: its bias, then the weights of its columns for each input
};

}  // namespace alps
