#include "alps/learn/part.h"

#include <cmath>

namespace alps {

namespace {

Terms values_of(const Loss& loss) {
  Terms terms = {{"loss", loss.total.item<double>()}};
  for (const auto& [name, tensor] : loss.terms) terms.emplace_back(name, tensor.item<double>());
  return terms;
}

}  // namespace

Adam& LossPart::adam() const {
  if (!adam_) adam_.emplace(parameters(), context_.compute.threads);
  return *adam_;
}

Terms LossPart::gradients(const Split& split, Rng rng) {
  adam().zero_grad();
  Loss loss;
  {
    const Bfloat16 half(context_.compute);
    loss = this->loss(split, rng);
  }
  Terms terms = values_of(loss);
  if (std::isfinite(terms.front().second)) loss.total.backward();
  return terms;
}

void LossPart::update(double lr) {
  adam().step(lr);
  after_step(lr);
}

Terms LossPart::validate(const Split& split, Rng rng) {
  const at::NoGradGuard no_grad;
  const Bfloat16 half(context_.compute);
  const double before = sampling_seconds;
  const Loss loss = this->loss(split, rng);
  sampling_seconds = before;
  return loss.total.defined() ? values_of(loss) : Terms{};
}

std::vector<NamedTensor> LossPart::state() const {
  std::vector<NamedTensor> all = parameters();
  for (const auto& list : {adam().state(), more_state()}) all.insert(all.end(), list.begin(), list.end());
  return all;
}

}  // namespace alps
