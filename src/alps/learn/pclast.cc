#include "alps/learn/pclast.h"

#include "alps/learn/freeze_trunk.h"
#include "alps/learn/part.h"

namespace alps {

at::Tensor inverse_loss(const Network& inverse, const at::Tensor& here, const at::Tensor& there,
                        const at::Tensor& apart, const at::Tensor& actions) {
  return (inverse.forward(at::cat({here, there, apart}, 1)) - actions).square().sum(1).mean();
}

at::Tensor contrastive_loss(const at::Tensor& anchor, const at::Tensor& positive, const at::Tensor& negative,
                            const at::Tensor& alpha, const at::Tensor& beta) {
  const auto logit = [&](const at::Tensor& other) {
    return alpha.exp() - beta.exp() * (anchor - other).square().sum(1);
  };
  return -(at::log_sigmoid(logit(positive)) + at::log_sigmoid(-logit(negative))).mean();
}

namespace {

class PcLast : public Part {
 public:
  explicit PcLast(const PartContext& c)
      : context_(c),
        map_({latent(c), static_cast<size_t>(c.config.eigenvectors), c.config.encoder_layers, c.config.encoder_width,
              true},
             c.rng.fork(0), c.device),
        alpha_(at::zeros({}, c.device).set_requires_grad(true)),
        beta_(at::zeros({}, c.device).set_requires_grad(true)) {
    if (!c.data.image()) return;
    trunk_.emplace(mixed_trunk(c));
    const NetworkShape shape{2 * latent(c) + 1, c.data.train->data().action_size(), c.config.encoder_layers,
                             c.config.encoder_width, true};
    inverse_.emplace(shape, c.rng.fork(2), c.device);
  }

  std::vector<NamedTensor> parameters() const override {
    std::vector<NamedTensor> list = map_.parameters("representation");
    list.push_back({"alpha", alpha_});
    list.push_back({"beta", beta_});
    if (!trunk_) return list;
    for (const auto& more : {trunk_->parameters("trunk"), inverse_->parameters("inverse")})
      list.insert(list.end(), more.begin(), more.end());
    return list;
  }

  Loss loss(const Split& split, Rng rng) override {
    const TrainConfig& config = context_.config;
    const int64_t n = config.representation_batch;
    at::Tensor batch, apart, actions;
    {
      // pairs for the inverse kinematics, whose first states are also the negatives of the contrast, and positive pairs
      const Stopwatch watch(sampling_seconds);
      const RowPairs steps = split.sampler().goals(rng, n, config.inverse_horizon),
                     near = split.sampler().goals(rng, n, config.positive_horizon);
      std::vector<size_t> rows = steps.from;
      for (const auto* more : {&steps.to, &near.from, &near.to}) rows.insert(rows.end(), more->begin(), more->end());
      batch = (trunk_ ? split.images(rows) : split.states(rows)).to(context_.device);
      std::vector<float> share(n);
      for (int64_t i = 0; i < n; ++i)
        share[i] = static_cast<float>(steps.to[i] - steps.from[i]) / static_cast<float>(config.inverse_horizon);
      apart = to_tensor(share, {n, 1}, context_.device);
      actions = split.actions(steps.from).to(context_.device);
    }
    const at::Tensor xi = trunk_ ? trunk_->forward(batch) : batch;  // (4n, latent)
    const auto part = xi.chunk(4);
    const auto mapped = map_.forward(xi.detach()).chunk(4);
    const at::Tensor contrast = contrastive_loss(mapped[2], mapped[3], mapped[0], alpha_, beta_);
    if (!trunk_) return {contrast, {{"contrastive_loss", contrast}}};
    const at::Tensor inverse = inverse_loss(*inverse_, part[0], part[1], apart, actions);
    return {contrast + inverse, {{"contrastive_loss", contrast}, {"inverse_loss", inverse}}};
  }

  void finish() override {
    const at::NoGradGuard no_grad;
    Model& model = context_.model;
    if (trunk_) {
      // as for ALPS, the state on which the model is trained is the space that is planned in
      set_trunk(trunk_->to_trunk(map_.to_mlp()), context_);
      model.representation = latents_of_states(model);
    } else {
      model.representation = map_.to_mlp();
    }
    // the space is as the contrast scaled it
    model.eigenvalues.assign(context_.config.eigenvectors, 1.0f);
    model.eigenvalues_duals = model.eigenvalues;
  }

 private:
  static size_t latent(const PartContext& c) {
    return c.data.image() ? static_cast<size_t>(c.config.latent) : c.data.train->state_size();
  }

  const PartContext context_;
  Network map_;  // Gamma
  at::Tensor alpha_, beta_;
  std::optional<TrunkNetwork> trunk_;  // xi
  std::optional<Network> inverse_;
};

}  // namespace

std::unique_ptr<Part> make_pclast(const PartContext& context) { return std::make_unique<PcLast>(context); }

}  // namespace alps
