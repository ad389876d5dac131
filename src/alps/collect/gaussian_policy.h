// A policy to act with: a network of normalized observations gives the means of its actions, and the deviations do not
// depend on the state. Teachers and students of the humanoid are such policies.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "alps/collect/running_scale.h"
#include "alps/nn/mlp.h"

namespace alps {

struct GaussianPolicy {
  Mlp mean;
  std::vector<float> shift, scale;  // of the inputs
  std::vector<float> log_sigma;

  GaussianPolicy() = default;
  GaussianPolicy(Mlp network, const RunningScale& seen, std::vector<float> log_sigmas);

  void normalize(std::span<const float> observations, float* out) const;
  // observations (rows, inputs) -> means (rows, outputs)
  void means(std::span<const float> observations, std::span<float> out, int threads = 1) const;
  void store(Tensors& tensors, const std::string& prefix) const;
  static GaussianPolicy load(const Tensors& tensors, const std::string& prefix);
};

// log density of `action` under a Gaussian
double log_density(std::span<const float> action, std::span<const float> mean, std::span<const float> log_sigma);

}  // namespace alps
