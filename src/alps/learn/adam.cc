#include "alps/learn/adam.h"

#include <algorithm>
#include <cmath>

#include "alps/base/simd.h"
#include "alps/base/threads.h"
#include "alps/nn/adam.h"

namespace alps {
namespace {

// in float, of few enough numbers at a time
ALPS_CLONES float square_sum(const float* values, size_t size) {
  Vector sums = {};
  size_t i = 0;
  for (; i + 8 <= size; i += 8) sums += vector_at(values + i) * vector_at(values + i);
  float total = 0;
  for (size_t k = 0; k < 8; ++k) total += sums[k];
  for (; i < size; ++i) total += values[i] * values[i];
  return total;
}

}  // namespace

Adam::Adam(std::vector<NamedTensor> parameters, int threads) : parameters_(std::move(parameters)), threads_(threads) {
  for (const NamedTensor& parameter : parameters_) {
    values_.push_back(parameter.value);
    first_.push_back(at::zeros_like(parameter.value));
    second_.push_back(at::zeros_like(parameter.value));
    steps_.push_back(at::zeros({}, parameter.value.options().requires_grad(false)));
  }
  constexpr size_t kPiece = 32768;
  const bool cpu = std::ranges::all_of(values_, [](const at::Tensor& v) { return v.is_cpu() && v.is_contiguous(); });
  for (size_t i = 0; cpu && i < values_.size(); ++i)
    for (size_t first = 0, all = values_[i].numel(); first < all; first += kPiece)
      pieces_.push_back({i, first, std::min(kPiece, all - first)});
}

void Adam::zero_grad() {
  for (at::Tensor& value : values_) value.mutable_grad() = at::Tensor();
}

double Adam::grad_norm() const {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> grads;
  for (const at::Tensor& value : values_) grads.push_back(value.grad().contiguous());
  if (!pieces_.empty()) {
    std::vector<double> sums(pieces_.size());
    parallel_for(pieces_.size(), threads_, [&](size_t i) {
      const auto [parameter, first, size] = pieces_[i];
      sums[i] = square_sum(grads[parameter].const_data_ptr<float>() + first, size);
    });
    double total = 0;
    for (const double sum : sums) total += sum;
    return std::sqrt(total);
  }
  return at::stack(at::_foreach_norm(grads)).norm().item<double>();
}

void Adam::step(double lr) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> grads;
  for (const at::Tensor& value : values_) grads.push_back(value.grad().contiguous());
  // torch wants the count of this step already added
  for (at::Tensor& count : steps_) count.add_(1);
  if (!pieces_.empty()) {
    const AdamScale scale(lr, steps_.front().item<double>());
    parallel_for(pieces_.size(), threads_, [&](size_t i) {
      const auto [parameter, first, size] = pieces_[i];
      const auto at = [f = first](const at::Tensor& tensor) { return tensor.data_ptr<float>() + f; };
      adam_step(at(values_[parameter]), at(first_[parameter]), at(second_[parameter]),
                grads[parameter].const_data_ptr<float>() + first, size, scale.rate, scale.scale);
    });
    return;
  }
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
