#include "alps/learn/prior.h"

#include "alps/learn/part.h"

namespace alps {

at::Tensor prior_loss(const Network& prior, const Network& psi, const at::Tensor& states, const at::Tensor& goals,
                      const at::Tensor& actions) {
  at::Tensor here, there;
  {
    const at::NoGradGuard no_grad;
    const auto both = psi.forward(at::cat({states, goals})).chunk(2);
    here = both[0];
    there = both[1];
  }
  const at::Tensor predicted = prior.forward(at::cat({states, here, there}, 1));
  return (predicted - actions).square().sum(1).mean();
}

namespace {

class Prior : public Part {
 public:
  explicit Prior(const PartContext& c)
      : config_(c.config),
        model_(c.model),
        device_(c.device),
        unit_(to_tensor(c.model.eigenvalues, {c.config.eigenvectors}, c.device).pow(c.config.psi_power)),
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
    at::Tensor states, goals, actions;
    {
      const Stopwatch watch(sampling_seconds);
      const RowPairs drawn = split.sampler().goals(rng, config_.prior_batch, config_.prior_horizon);
      RowPairs pairs;
      for (const int64_t i : split.nearby(drawn.from)) {
        pairs.from.push_back(drawn.from[i]);
        pairs.to.push_back(drawn.to[i]);
      }
      states = split.states(pairs.from).to(device_);
      goals = split.states(pairs.to).to(device_);
      actions = split.actions(pairs.from).to(device_);
    }
    return {prior_loss(network_, phi_, states, goals, actions), {}};
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
