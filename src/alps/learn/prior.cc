#include "alps/learn/prior.h"

#include <cmath>
#include <map>
#include <numeric>

#include "alps/learn/part.h"

namespace alps {

at::Tensor prior_wishes(const Network& prior, const at::Tensor& states, const at::Tensor& here,
                        const at::Tensor& there) {
  return prior.forward(at::cat({states, here, there}, 1));
}

at::Tensor square_loss(const at::Tensor& wishes, const at::Tensor& actions) {
  return (wishes - actions).square().sum(1).mean();
}

at::Tensor censored_loss(const at::Tensor& wishes, const at::Tensor& actions, const at::Tensor& log_sigma,
                         double limit) {
  const at::Tensor sigma = log_sigma.exp();
  const at::Tensor inside = log_sigma + 0.5 * ((actions - wishes) / sigma).square();
  // how far the wish lies beyond the limit that the action is nearer to
  const at::Tensor beyond = (wishes * actions.sign() - limit) / sigma;
  constexpr double kRounding = 1e-6;
  return at::where(actions.abs() >= limit * (1 - kRounding), -at::special_log_ndtr(beyond), inside).sum(1).mean();
}

namespace {

// a frozen network's outputs of every row of a split (rows, outputs), once, instead of twice for each example
at::Tensor embed_rows(const Network& network, const Split& split, at::Device device) {
  constexpr size_t kBlock = 8192;
  const at::NoGradGuard no_grad;
  const size_t rows = split.data().rows();
  std::vector<at::Tensor> blocks;
  for (size_t first = 0; first < rows; first += kBlock) {
    std::vector<size_t> block(std::min(kBlock, rows - first));
    std::iota(block.begin(), block.end(), first);
    blocks.push_back(network.forward(split.states(block).to(device)));
  }
  return at::cat(blocks);
}

at::Tensor to_indices(const std::vector<size_t>& rows, at::Device device) {
  const std::vector<int64_t> indices(rows.begin(), rows.end());
  return at::tensor(indices, at::kLong).to(device);
}

class Prior : public Part {
 public:
  explicit Prior(const PartContext& c)
      : config_(c.config),
        data_(c.data),
        model_(c.model),
        device_(c.device),
        unit_(to_tensor(c.model.eigenvalues, {c.config.eigenvectors}, c.device).pow(c.config.psi_power)),
        network_({c.model.state_size() + 2 * c.model.eigenvectors(), c.data.train->data().action_size(),
                  c.config.prior_layers, c.config.prior_width},
                 c.rng.fork(0), c.device),
        log_sigma_(at::zeros({static_cast<int64_t>(c.data.train->data().action_size())}, c.device)) {
    log_sigma_.set_requires_grad(true);
    // the network learns from phi and from differences of phi, whose columns all have unit variance; those of psi have
    // not, and the way to a goal is a small difference of large numbers in them
    const at::NoGradGuard no_grad;
    Network phi(c.model.representation, c.device);
    phi.scale_outputs(unit_);
    for (const auto& split : {&c.data.train, &c.data.validation})
      if (*split) phi_[&**split] = embed_rows(phi, **split, device_);
    way_unit_ = usual_way(c.rng.fork(1));
  }

  std::vector<NamedTensor> parameters() const override {
    std::vector<NamedTensor> all = network_.parameters("prior");
    if (censored()) all.push_back({"prior.log_sigma", log_sigma_});
    return all;
  }

  std::vector<NamedTensor> state() const override { return {{"prior.way_unit", way_unit_}}; }

  Loss loss(const Split& split, Rng rng) override {
    at::Tensor states, here, way, actions;
    {
      const Stopwatch watch(sampling_seconds);
      const RowPairs drawn = split.sampler().goals(rng, config_.prior_batch, config_.prior_horizon);
      RowPairs pairs;
      for (const int64_t i : split.nearby(drawn.from)) {
        pairs.from.push_back(drawn.from[i]);
        pairs.to.push_back(drawn.to[i]);
      }
      states = split.states(pairs.from).to(device_);
      here = phi_of(split, pairs.from);
      way = (phi_of(split, pairs.to) - here) / way_unit_;
      actions = split.actions(pairs.from).to(device_);
    }
    const at::Tensor wishes = prior_wishes(network_, states, here, way);
    if (!censored()) return {square_loss(wishes, actions), {}};
    return {censored_loss(wishes, actions, log_sigma_, kLimit), {}};
  }

  void finish() override {
    const at::NoGradGuard no_grad;
    model_.prior_spread = spread();
    model_.prior_way = static_cast<float>((way_unit_ / unit_).square().sum().sqrt().item<double>());
    // from here on the first layer takes psi: phi = unit psi, way = (unit psi_goal - unit psi) / way_unit
    const at::Tensor place = at::diag(unit_), way = at::diag(unit_ / way_unit_);
    const at::Tensor both = at::cat({at::cat({place, at::zeros_like(place)}, 1), at::cat({-way, way}, 1)});
    network_.transform_inputs(at::block_diag({at::eye(static_cast<int64_t>(model_.state_size()), device_), both}));
    model_.prior = network_.to_mlp();
  }

 private:
  bool censored() const { return config_.prior_loss == "censored"; }

  at::Tensor phi_of(const Split& split, const std::vector<size_t>& rows) const {
    return phi_.at(&split).index_select(0, to_indices(rows, device_));
  }

  // root mean square of phi(goal) - phi, each column; of one that hardly ever changes, not so little as to blow up
  // noise
  at::Tensor usual_way(Rng rng) const {
    constexpr size_t kPairs = 1 << 16;
    constexpr double kLeast = 1e-3;
    const RowPairs pairs = data_.train->sampler().goals(rng, kPairs, config_.prior_horizon);
    const at::Tensor way = phi_of(*data_.train, pairs.to) - phi_of(*data_.train, pairs.from);
    return way.square().mean(0).sqrt().clamp_min(kLeast);
  }

  // how far the data's actions lie from what the prior takes for wished: noise, and whatever else state and goal do not
  // tell
  float spread() {
    if (censored()) return static_cast<float>(log_sigma_.exp().square().mean().sqrt().item<double>());
    constexpr int kBatches = 16;
    const Split& split = data_.validation ? *data_.validation : *data_.train;
    double sum = 0;
    for (int i = 0; i < kBatches; ++i) sum += loss(split, Rng(i)).total.item<double>();
    return static_cast<float>(std::sqrt(sum / kBatches / static_cast<double>(data_.train->data().action_size())));
  }

  const TrainConfig& config_;
  TrainData& data_;
  Model& model_;
  at::Device device_;
  at::Tensor unit_;                         // (d) phi = unit psi
  at::Tensor way_unit_;                     // (d) of phi(goal) - phi
  std::map<const Split*, at::Tensor> phi_;  // of every row
  Network network_;
  at::Tensor log_sigma_;  // (a) of the noise, for the censored loss
  static constexpr double kLimit = 1;  // actions come in units of theirs
};

}  // namespace

std::unique_ptr<Part> make_prior(const PartContext& context) { return std::make_unique<Prior>(context); }

}  // namespace alps
