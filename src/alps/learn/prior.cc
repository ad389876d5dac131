#include "alps/learn/prior.h"

#include <algorithm>

#include "alps/learn/part.h"

namespace alps {

at::Tensor progress_weights(const at::Tensor& here, const at::Tensor& next, const at::Tensor& there, double power) {
  constexpr double kMost = 3;  // an example counts at most e^3 times as much as one with the mean progress
  const at::Tensor progress = (there - here).norm(2, 1) - (there - next).norm(2, 1);
  const at::Tensor usual = progress.std().clamp_min(1e-12);
  const at::Tensor weights = (power * (progress - progress.mean()) / usual).clamp_max(kMost).exp();
  return weights / weights.mean();
}

at::Tensor prior_loss(const Network& prior, const at::Tensor& states, const at::Tensor& here, const at::Tensor& there,
                      const at::Tensor& actions, const at::Tensor& weights) {
  const at::Tensor predicted = prior.forward(at::cat({states, here, there}, 1));
  return ((predicted - actions).square().sum(1) * weights).mean();
}

namespace {

class Prior : public Part {
 public:
  explicit Prior(const PartContext& c)
      : config_(c.config),
        model_(c.model),
        device_(c.device),
        unit_(to_tensor(c.model.eigenvalues, {static_cast<int64_t>(c.model.eigenvectors())}, c.device).pow(c.config.psi_power)),
        phi_(c.model.representation, c.device),
        network_({c.model.state_size() + 2 * c.model.eigenvectors(), c.data.train->data().action_size(),
                  c.config.prior_layers, c.config.prior_width},
                 c.rng.fork(0), c.device) {
    // the network learns from phi, whose columns all have unit variance, rather than from psi, whose have not
    const at::NoGradGuard no_grad;
    phi_.scale_outputs(unit_);
  }

  std::vector<NamedTensor> parameters() const override { return network_.parameters("prior"); }

  Loss loss(const Split& split, Rng rng) override {
    constexpr size_t kSteps = 5;  // over which progress is seen
    at::Tensor states, next, goals, actions;
    {
      const Stopwatch watch(sampling_seconds);
      const RowPairs drawn = split.sampler().goals(rng, config_.prior_batch, config_.prior_horizon);
      RowPairs pairs;
      std::vector<size_t> soon;
      for (const int64_t i : split.nearby(drawn.from)) {
        pairs.from.push_back(drawn.from[i]);
        pairs.to.push_back(drawn.to[i]);
        soon.push_back(std::min(drawn.from[i] + kSteps, drawn.to[i]));
      }
      states = split.states(pairs.from).to(device_);
      goals = split.states(pairs.to).to(device_);
      if (config_.prior_progress > 0) next = split.states(soon).to(device_);
      actions = split.actions(pairs.from).to(device_);
    }
    at::Tensor here, there, weights = at::ones({states.size(0)}, device_);
    {
      const at::NoGradGuard no_grad;
      const auto phi = phi_.forward(next.defined() ? at::cat({states, goals, next}) : at::cat({states, goals}))
                           .split(states.size(0));
      here = phi[0];
      there = phi[1];
      if (next.defined())
        weights = progress_weights(here / unit_, phi[2] / unit_, there / unit_, config_.prior_progress);
    }
    return {prior_loss(network_, states, here, there, actions, weights), {}};
  }

  // from here on the first layer takes psi: W phi = (W diag(unit)) psi
  void finish() override {
    const at::NoGradGuard no_grad;
    const int64_t states = static_cast<int64_t>(model_.state_size());
    network_.scale_inputs(at::cat({at::ones({states}, device_), unit_, unit_}));
    model_.prior = network_.to_mlp();
  }

 private:
  const TrainConfig& config_;
  Model& model_;
  at::Device device_;
  at::Tensor unit_;
  Network phi_, network_;
};

}  // namespace

std::unique_ptr<Part> make_prior(const PartContext& context) { return std::make_unique<Prior>(context); }

}  // namespace alps
