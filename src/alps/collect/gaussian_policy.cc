#include "alps/collect/gaussian_policy.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace alps {
namespace {

constexpr float kFarthest = 8;  // normalized observations are clipped here

}  // namespace

GaussianPolicy::GaussianPolicy(Mlp network, const RunningScale& seen, std::vector<float> log_sigmas)
    : mean(std::move(network)), shift(seen.mean.begin(), seen.mean.end()), log_sigma(std::move(log_sigmas)) {
  for (const double v : seen.variance) scale.push_back(static_cast<float>(1 / std::sqrt(v + 1e-5)));
}

void GaussianPolicy::normalize(std::span<const float> observations, float* out) const {
  const size_t size = shift.size();
  for (size_t i = 0; i < observations.size(); ++i)
    out[i] = std::clamp((observations[i] - shift[i % size]) * scale[i % size], -kFarthest, kFarthest);
}

void GaussianPolicy::means(std::span<const float> observations, std::span<float> out, int threads) const {
  thread_local std::vector<float> in;
  in.resize(observations.size());
  normalize(observations, in.data());
  mean.forward(in, out, threads);
}

void GaussianPolicy::store(Tensors& tensors, const std::string& prefix) const {
  mean.store(tensors, prefix);
  tensors.arrays[prefix + ".shift"] = Array::of<float>({shift.size()}, shift);
  tensors.arrays[prefix + ".scale"] = Array::of<float>({scale.size()}, scale);
  tensors.arrays[prefix + ".log_sigma"] = Array::of<float>({log_sigma.size()}, log_sigma);
}

GaussianPolicy GaussianPolicy::load(const Tensors& tensors, const std::string& prefix) {
  GaussianPolicy p;
  p.mean = Mlp::load(tensors, prefix);
  const auto take = [&](const char* name, size_t size) {
    const auto kept = tensors.at(prefix + name, DType::kFloat32, {size}).as<float>();
    return std::vector<float>(kept.begin(), kept.end());
  };
  p.shift = take(".shift", p.mean.inputs());
  p.scale = take(".scale", p.mean.inputs());
  p.log_sigma = take(".log_sigma", p.mean.outputs());
  return p;
}

double log_density(std::span<const float> action, std::span<const float> mean, std::span<const float> log_sigma) {
  double sum = 0;
  for (size_t j = 0; j < action.size(); ++j) {
    const double z = (action[j] - mean[j]) / std::exp(log_sigma[j]);
    sum -= 0.5 * z * z + log_sigma[j] + 0.5 * std::log(2 * std::numbers::pi);
  }
  return sum;
}

}  // namespace alps
