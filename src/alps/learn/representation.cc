// The representation as a trainable part: ALLO on four batches a step, then the scaling that makes psi of it.
#include "alps/learn/allo.h"
#include "alps/learn/freeze_trunk.h"
#include "alps/learn/part.h"
#include "alps/learn/rayleigh_ritz.h"

namespace alps {
namespace {

class Representation : public Part {
 public:
  explicit Representation(const PartContext& c)
      : context_(c),
        config_(c.config),
        data_(c.data),
        model_(c.model),
        device_(c.device),
        rng_(c.rng.fork(2)),
        encoder_(shape(c), c.rng.fork(0), c.device),
        duals_(start_duals(c.config.eigenvectors, c.config.dual_start, c.device)) {
    if (data_.image()) trunk_.emplace(start_trunk(c));
  }

  std::vector<NamedTensor> parameters() const override {
    std::vector<NamedTensor> list = encoder_.parameters("representation");
    if (trunk_)
      for (const NamedTensor& tensor : trunk_->parameters("trunk")) list.push_back(tensor);
    return list;
  }
  std::vector<NamedTensor> state() const override { return {{"duals", duals_}}; }

  Loss loss(const Split& split, Rng rng) override {
    const AlloLoss loss = allo_loss(encoder_.forward(input(draw(split, rng), split)), duals_, config_.barrier);
    error_ = loss.error;
    return {loss.total,
            {{"graph_loss", loss.graph},
             {"dual_loss", loss.dual},
             {"barrier_loss", loss.barrier},
             {"orthonormality", loss.error.abs().max()}}};
  }

  void after_step(double lr) override {
    update_duals(duals_, error_, config_.dual_step * lr, config_.dual_min, config_.dual_max);
  }

  void finish() override;

 private:
  static NetworkShape shape(const PartContext& c) {
    const size_t inputs = c.data.image() ? static_cast<size_t>(c.config.latent) : c.data.train->state_size();
    return {inputs, static_cast<size_t>(c.config.eigenvectors), c.config.encoder_layers, c.config.encoder_width, true};
  }

  // states of pairs, their successors, and two independent batches, as 4n rows
  std::vector<size_t> draw(const Split& split, Rng& rng) {
    const Stopwatch watch(sampling_seconds);
    const size_t n = config_.representation_batch;
    const RowPairs pairs = split.sampler().pairs(rng, n, config_.gamma);
    const std::vector<size_t> constraint = split.sampler().uniform(rng, 2 * n);
    std::vector<size_t> rows = pairs.from;
    rows.insert(rows.end(), pairs.to.begin(), pairs.to.end());
    rows.insert(rows.end(), constraint.begin(), constraint.end());
    return rows;
  }

  at::Tensor input(const std::vector<size_t>& rows, const Split& split) {
    at::Tensor batch;
    {
      const Stopwatch watch(sampling_seconds);
      batch = (trunk_ ? split.images(rows) : split.states(rows)).to(device_);
    }
    return trunk_ ? trunk_->forward(batch) : batch;
  }

  const PartContext context_;
  const TrainConfig& config_;
  TrainData& data_;
  Model& model_;
  at::Device device_;
  Rng rng_;
  Network encoder_;
  std::optional<TrunkNetwork> trunk_;
  at::Tensor duals_, error_;
};

void Representation::finish() {
  const at::NoGradGuard no_grad;
  if (trunk_) freeze_trunk(trunk_, encoder_, context_);
  model_.eigenvalues_duals = dual_eigenvalues(duals_);

  if (config_.rayleigh_ritz == "off") {
    // the paper's scaling; an eigenvalue that the duals have not brought above zero yet would make psi infinite
    model_.eigenvalues = model_.eigenvalues_duals;
    for (float& value : model_.eigenvalues) value = std::max(value, 1e-6f);
    const int64_t count = config_.eigenvectors;
    const at::Tensor scale = to_tensor(model_.eigenvalues, {count}, device_).rsqrt();
    const auto all = encoder_.parameters("");
    const size_t last = 2 * (config_.encoder_layers - 1);
    model_.representation = encoder_.to_mlp(all[last].value * scale.unsqueeze(1), all[last + 1].value * scale);
    return;
  }

  const bool hidden = config_.rayleigh_ritz == "hidden";
  const auto features = [&](const std::vector<size_t>& rows) {
    const at::Tensor x = data_.train->states(rows).to(device_);
    return hidden ? encoder_.hidden(x) : encoder_.forward(x);
  };
  RitzResult ritz = rayleigh_ritz(*data_.train, features, config_.gamma, config_.eigenvectors, rng_);
  model_.eigenvalues = ritz.eigenvalues;
  const at::Tensor scale = to_tensor(ritz.eigenvalues, {config_.eigenvectors}, at::kCPU).rsqrt();
  at::Tensor weight = ritz.weight * scale.unsqueeze(1), bias = ritz.bias * scale;  // psi = weight f + bias
  if (!hidden) {
    // f is itself the last layer: psi = weight (W h + b) + bias
    const auto all = encoder_.parameters("");
    const size_t last = 2 * (config_.encoder_layers - 1);
    bias = bias + at::mv(weight, all[last + 1].value.to(at::kCPU));
    weight = at::mm(weight, all[last].value.to(at::kCPU));
  }
  model_.representation = encoder_.to_mlp(weight, bias);
}

}  // namespace

std::unique_ptr<Part> make_representation(const PartContext& context) {
  return std::make_unique<Representation>(context);
}

}  // namespace alps
