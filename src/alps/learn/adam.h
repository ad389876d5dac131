// Adam (Kingma and Ba 2014) over a list of tensors, with torch's fused kernel. Its moments are plain named tensors, so
// that a checkpoint keeps them beside the weights.
#pragma once

#include "alps/learn/networks.h"

namespace alps {

class Adam {
 public:
  explicit Adam(std::vector<NamedTensor> parameters);

  void zero_grad();
  double grad_norm() const;  // over all parameters; not finite if any gradient is not
  void step(double lr);
  std::vector<NamedTensor> state() const;  // adam.m.NAME, adam.v.NAME, adam.t.NAME

 private:
  std::vector<NamedTensor> parameters_;
  std::vector<at::Tensor> values_, first_, second_, steps_;
};

}  // namespace alps
