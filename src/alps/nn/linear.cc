#include "alps/nn/linear.h"

#include <utility>

#include "alps/base/error.h"

namespace alps {

Linear::Linear(size_t inputs, size_t outputs, std::vector<float> weight, std::vector<float> bias)
    : inputs_(inputs), outputs_(outputs), weight_(std::move(weight)), bias_(std::move(bias)) {
  ALPS_CHECK(weight_.size() == inputs * outputs && bias_.size() == outputs);
  panels_.pack(weight_.data(), bias_.data(), inputs, outputs);
  if (has_bf16()) bf16_.pack(weight_.data(), bias_.data(), inputs, outputs, Precision::kBf16);
}

}  // namespace alps
