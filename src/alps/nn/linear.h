// y = x W^T + b on rows of floats: the one kernel under the small networks. Weights are packed once into panels of
// kPanel outputs, and a block of rows is multiplied with a panel in registers; the compiler vectorises the inner loop
// for the machine it runs on. The sum of one output runs over the inputs in order, so a row's result does not depend
// on the other rows of its batch. Inputs that are zero in all rows of a tile are left out: after a ReLU that is a
// quarter to two thirds of them where the rows are candidates of one search, and it changes no sum.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

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

  // in (rows, inputs) -> out (rows, outputs). kRelu: negative outputs become zero; and many inputs may be zero.
  enum class After { kNothing, kRelu };
  enum class Input { kDense, kRelu };
  void apply(const float* in, size_t rows, float* out, After after = After::kNothing,
             Input input = Input::kDense) const;

  static constexpr size_t kTile = 6;  // rows computed together; a batch of a multiple of it wastes nothing

 private:
  size_t inputs_ = 0, outputs_ = 0;
  std::vector<float> weight_, bias_, panels_;
};

}  // namespace alps
