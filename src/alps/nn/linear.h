// y = x W^T + b on rows of floats: a layer of a finished network.
#pragma once

#include <span>
#include <vector>

#include "alps/nn/panels.h"

namespace alps {

class Linear {
 public:
  Linear() = default;
  Linear(size_t inputs, size_t outputs, std::vector<float> weight,
         std::vector<float> bias);  // weight (outputs, inputs)

  size_t inputs() const { return inputs_; }
  size_t outputs() const { return outputs_; }
  const std::vector<float>& weight() const { return weight_; }
  const std::vector<float>& bias() const { return bias_; }

  // in (rows, inputs) -> out (rows, outputs)
  void apply(const float* in, size_t rows, float* out, Panels::After after = Panels::After::kNothing,
             Panels::Input input = Panels::Input::kDense, Precision precision = Precision::kFp32) const {
    (precision == Precision::kBf16 ? bf16_ : panels_).apply(in, rows, out, after, input);
  }

 private:
  size_t inputs_ = 0, outputs_ = 0;
  std::vector<float> weight_, bias_;
  Panels panels_, bf16_;  // the second where the processor has it
};

}  // namespace alps
