// Adam (Kingma and Ba 2014) over a list of tensors, by our kernel on the CPU and torch's fused one elsewhere. Its
// moments are plain named tensors, so that a checkpoint keeps them beside the weights.
#pragma once

#include "alps/learn/networks.h"

namespace alps {

class Adam {
 public:
  explicit Adam(std::vector<NamedTensor> parameters, int threads = 1);

  void zero_grad();
  double grad_norm() const;  // over all parameters; not finite if any gradient is not
  void step(double lr);
  std::vector<NamedTensor> state() const;  // adam.m.NAME, adam.v.NAME, adam.t.NAME

 private:
  std::vector<NamedTensor> parameters_;
  int threads_;
  // a part of a parameter that one thread sees to: its place among them, the first number, how many
  struct Piece {
    size_t parameter, first, size;
  };
  std::vector<Piece> pieces_;  // empty unless all lie on the CPU
  std::vector<at::Tensor> values_, first_, second_, steps_;
};

}  // namespace alps
