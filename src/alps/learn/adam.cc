#include "alps/learn/adam.h"

#include <cmath>

namespace alps {

Adam::Adam(std::vector<NamedTensor> parameters) : parameters_(std::move(parameters)) {
  for (const NamedTensor& parameter : parameters_) {
    values_.push_back(parameter.value);
    first_.push_back(at::zeros_like(parameter.value));
    second_.push_back(at::zeros_like(parameter.value));
    steps_.push_back(at::zeros({}, parameter.value.options().requires_grad(false)));
  }
}

void Adam::zero_grad() {
  for (at::Tensor& value : values_) value.mutable_grad() = at::Tensor();
}

double Adam::grad_norm() const {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> grads;
  for (const at::Tensor& value : values_) grads.push_back(value.grad());
  return at::stack(at::_foreach_norm(grads)).norm().item<double>();
}

void Adam::step(double lr) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> grads;
  for (const at::Tensor& value : values_) grads.push_back(value.grad());
  // torch wants the count of this step already added
  for (at::Tensor& count : steps_) count.add_(1);
  at::_fused_adam_(values_, grads, first_, second_, {}, steps_, lr, 0.9, 0.999, 0.0, 1e-8, false, false);
}

std::vector<NamedTensor> Adam::state() const {
  std::vector<NamedTensor> list;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    list.push_back({"adam.m." + parameters_[i].name, first_[i]});
    list.push_back({"adam.v." + parameters_[i].name, second_[i]});
    list.push_back({"adam.t." + parameters_[i].name, steps_[i]});
  }
  return list;
}

}  // namespace alps
