#include "alps/learn/pclast.h"

#include "alps/learn/freeze_trunk.h"
#include "alps/learn/representation.h"
#include "alps/learn/trunk_settings.h"

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

class PcLast : public LossPart {
 public:
  explicit PcLast(const PartContext& c)
      : LossPart(c),
        settings_(c.profile.get<PcLastSettings>()),
        encoder_(c.profile.get<RepresentationSettings>()),
        map_({latent(c), static_cast<size_t>(encoder_.eigenvectors), encoder_.encoder_layers, encoder_.encoder_width,
              true},
             c.rng.fork(0), c.compute),
        alpha_(at::zeros({}, c.compute.device).set_requires_grad(true)),
        beta_(at::zeros({}, c.compute.device).set_requires_grad(true)) {
    if (!c.data.image()) return;
    trunk_.emplace(mixed_trunk(c));
    const NetworkShape shape{2 * latent(c) + 1, c.bundle.action_size(), encoder_.encoder_layers, encoder_.encoder_width,
                             true};
    inverse_.emplace(shape, c.rng.fork(2), c.compute);
  }

  Schedule schedule() const override {
    return {encoder_.representation_steps, encoder_.representation_lr,
            context_.profile.get<LoopSettings>().lr_schedule};
  }

  void finish() override {
    const at::NoGradGuard no_grad;
    Bundle& bundle = context_.bundle;
    if (trunk_) {
      // as for ALPS, the state on which the model is trained is the space that is planned in
      set_trunk(trunk_->to_trunk(map_.to_mlp()), context_);
      bundle.leave("representation", latents_of_states(bundle), "state -> Gamma");
    } else {
      bundle.leave("representation", map_.to_mlp(), "state -> Gamma");
    }
    // the space is as the contrast scaled it
    for (const char* name : {"representation.eigenvalues", "representation.eigenvalues_duals"})
      bundle.vectors[name].assign(encoder_.eigenvectors, 1.0f);
  }

 private:
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
    const int64_t n = encoder_.representation_batch;
    const at::Device device = context_.compute.device;
    at::Tensor batch, apart, actions;
    {
      // pairs for the inverse kinematics, whose first states are also the negatives of the contrast, and positive pairs
      const Stopwatch watch(sampling_seconds);
      const RowPairs steps = split.sampler().goals(rng, n, settings_.inverse_horizon),
                     near = split.sampler().goals(rng, n, settings_.positive_horizon);
      std::vector<size_t> rows = steps.from;
      for (const auto* more : {&steps.to, &near.from, &near.to}) rows.insert(rows.end(), more->begin(), more->end());
      batch = (trunk_ ? split.images(rows) : split.states(rows)).to(device);
      std::vector<float> share(n);
      for (int64_t i = 0; i < n; ++i)
        share[i] = static_cast<float>(steps.to[i] - steps.from[i]) / static_cast<float>(settings_.inverse_horizon);
      apart = to_tensor(share, {n, 1}, device);
      actions = split.actions(steps.from).to(device);
    }
    const at::Tensor xi = trunk_ ? trunk_->forward(batch) : batch;  // (4n, latent)
    const auto part = xi.chunk(4);
    const auto mapped = map_.forward(xi.detach()).chunk(4);
    const at::Tensor contrast = contrastive_loss(mapped[2], mapped[3], mapped[0], alpha_, beta_);
    if (!trunk_) return {contrast, {{"contrastive_loss", contrast}}};
    const at::Tensor inverse = inverse_loss(*inverse_, part[0], part[1], apart, actions);
    return {contrast + inverse, {{"contrastive_loss", contrast}, {"inverse_loss", inverse}}};
  }

  static size_t latent(const PartContext& c) {
    const int latent = c.profile.get<TrunkSettings>().latent;
    return c.data.image() ? static_cast<size_t>(latent) : c.data.train->state_size();
  }

  const PcLastSettings settings_;
  const RepresentationSettings encoder_;  // sizes, steps, batch and learning rate
  Network map_;                           // Gamma
  at::Tensor alpha_, beta_;
  std::optional<TrunkNetwork> trunk_;  // xi
  std::optional<Network> inverse_;
};

void preset(Profile& profile, std::string_view name, const Survey& survey) {
  representation_part().preset(profile, name, survey);
  profile.set("latent", 256, Origin::kPreset);
  profile.set("trunk_start", std::string("tents"), Origin::kPreset);
  // what ALLO has and the contrast has not
  profile.set("slow_gain", 0.0, Origin::kPreset);
  profile.set("psi_power", 0.5, Origin::kPreset);
}

}  // namespace

PartKind pclast_part() {
  return {.name = "representation",
          .networks = {"representation"},
          .needs = {},
          .columns = {"contrastive_loss", "inverse_loss"},
          .declare =
              [](Profile& p) {
                p.add<RepresentationSettings>("representation");
                p.add<TrunkSettings>("trunk");
                p.add<PcLastSettings>("pclast");
              },
          .preset = preset,
          .make = [](const PartContext& c) { return std::make_unique<PcLast>(c); },
          .check = [](const Profile& p) { p.get<TrunkSettings>().shape(); }};
}

}  // namespace alps
