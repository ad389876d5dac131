// The representation as a trainable part: ALLO on four batches a step, then the scaling that makes psi of it.
#include <algorithm>
#include <cmath>

#include "alps/learn/allo.h"
#include "alps/learn/freeze_trunk.h"
#include "alps/learn/logdet.h"
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
        threads_(c.threads),
        rng_(c.rng.fork(2)),
        encoder_(shape(c), c.rng.fork(0), c.device),
        duals_(start_duals(c.config.eigenvectors, c.config.dual_start, c.device)) {
    if (data_.image()) trunk_.emplace(slow_trunk(c));
    if (!data_.image() && config_.slow_gain > 0) favour_slow_columns();
  }

  std::vector<NamedTensor> parameters() const override {
    std::vector<NamedTensor> list = encoder_.parameters("representation");
    if (trunk_)
      for (const NamedTensor& tensor : trunk_->parameters("trunk")) list.push_back(tensor);
    return list;
  }
  std::vector<NamedTensor> state() const override { return {{"duals", duals_}}; }

  Loss loss(const Split& split, Rng rng) override {
    const Outputs u = outputs(draw(split, rng), split);
    if (!allo()) return {logdet_loss(u.sorted()), {}};
    const AlloLoss loss = allo_loss(u.values, config_.representation_batch, duals_, config_.barrier, u.places);
    error_ = loss.error;
    return {loss.total,
            {{"graph_loss", loss.graph},
             {"dual_loss", loss.dual},
             {"barrier_loss", loss.barrier},
             {"orthonormality", loss.error.abs().max()}}};
  }

  void after_step(double lr) override {
    if (allo()) update_duals(duals_, error_, config_.dual_step * lr, config_.dual_min, config_.dual_max);
  }

  void finish() override;

 private:
  bool allo() const { return config_.objective == "allo"; }
  void favour_slow_columns();
  Mlp eigenfunctions();
  Mlp scaled(const Mlp& phi) const;

  static NetworkShape shape(const PartContext& c) {
    const size_t inputs = c.data.image() ? static_cast<size_t>(c.config.trunk.latent) : c.data.train->state_size();
    return {inputs, static_cast<size_t>(c.config.eigenvectors), c.config.encoder_layers, c.config.encoder_width, true};
  }

  // states of pairs, their successors, and for ALLO its independent batches, as 2n, 3n or 4n rows
  std::vector<size_t> draw(const Split& split, Rng& rng) {
    const Stopwatch watch(sampling_seconds);
    const size_t n = config_.representation_batch;
    const RowPairs pairs = split.sampler().pairs(rng, n, config_.gamma);
    std::vector<size_t> rows = pairs.from;
    rows.insert(rows.end(), pairs.to.begin(), pairs.to.end());
    if (!allo()) return rows;
    const std::vector<size_t> constraint = split.sampler().uniform(rng, config_.constraint_batches * n);
    rows.insert(rows.end(), constraint.begin(), constraint.end());
    return rows;
  }

  struct Outputs {
    at::Tensor values;            // u (rows, d), in any order
    std::vector<int64_t> places;  // where the i-th row asked for is; none: in order
    at::Tensor sorted() const {
      return places.empty() ? values : values.index_select(0, at::tensor(places).to(values.device()));
    }
  };
  Outputs outputs(const std::vector<size_t>& rows, const Split& split) {
    at::Tensor batch;
    std::vector<int64_t> places;
    {
      const Stopwatch watch(sampling_seconds);
      if (trunk_) {
        batch = split.images(rows).to(device_);
      } else {
        const std::vector<int64_t> order = split.nearby(rows);
        std::vector<size_t> sorted;
        places.resize(rows.size());
        for (const int64_t i : order) {
          places[i] = static_cast<int64_t>(sorted.size());
          sorted.push_back(rows[i]);
        }
        batch = split.states(sorted).to(device_);
      }
    }
    return {encoder_.forward(trunk_ ? trunk_->forward(batch) : batch), std::move(places)};
  }

  const PartContext context_;
  const TrainConfig& config_;
  TrainData& data_;
  Model& model_;
  at::Device device_;
  int threads_;
  Rng rng_;
  Network encoder_;
  std::optional<TrunkNetwork> trunk_;
  at::Tensor duals_, error_;
};

// The eigenfunctions that matter are smooth in time, but need not be in the columns that change slowly: an ant's place
// is two of 29. The first layer starts with larger weights for columns that change less from step to step than the
// median.
void Representation::favour_slow_columns() {
  constexpr float kMost = 10;
  const at::NoGradGuard no_grad;
  const std::vector<float> change = fit_changes(*data_.train, model_.deviation).deviation;
  std::vector<float> sorted = change, gains;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<ptrdiff_t>(sorted.size() / 2), sorted.end());
  for (const float own : change) {
    const float slower = sorted[sorted.size() / 2] / own;
    gains.push_back(std::clamp(std::pow(slower, static_cast<float>(config_.slow_gain)), 1.0f, kMost));
  }
  encoder_.scale_inputs(to_tensor(gains, {static_cast<int64_t>(gains.size())}, device_));
}

void Representation::finish() {
  const at::NoGradGuard no_grad;
  model_.eigenvalues_duals = dual_eigenvalues(duals_);
  if (trunk_) {
    // every distinct image passes the convolutions once; the encoder takes latents as they are
    const auto size = static_cast<size_t>(config_.trunk.latent);
    data_.train->encode(trunk_->to_trunk(), threads_);
    data_.train->set_normalizer({std::vector<float>(size, 0.0f), std::vector<float>(size, 1.0f)});
  }
  const Mlp phi = eigenfunctions();
  if (!allo()) model_.eigenvalues_duals = model_.eigenvalues;
  if (!trunk_) {
    model_.representation = scaled(phi);
    return;
  }

  // images: the state on which model and prior are trained is phi itself, smooth and of the world's own shape, and psi
  // is a scale away from it
  set_trunk(trunk_->to_trunk(phi), context_);
  model_.representation = scaled(latents_of_states(model_));
}

// psi_i = phi_i / lambda_i^psi_power
Mlp Representation::scaled(const Mlp& phi) const {
  std::vector<Linear> layers = phi.layers();
  const Linear last = layers.back();
  std::vector<float> weight = last.weight(), bias = last.bias();
  for (size_t i = 0; i < bias.size(); ++i) {
    const float scale = std::pow(model_.eigenvalues[i], static_cast<float>(-config_.psi_power));
    bias[i] *= scale;
    for (size_t k = 0; k < last.inputs(); ++k) weight[i * last.inputs() + k] *= scale;
  }
  layers.back() = Linear(last.inputs(), last.outputs(), std::move(weight), std::move(bias));
  return Mlp(std::move(layers), phi.norm_gain(), phi.norm_bias());
}

// phi on states, or on latents of the trunk, and its eigenvalues
Mlp Representation::eigenfunctions() {
  if (config_.rayleigh_ritz == "off") {
    // the paper's; an eigenvalue that the duals have not brought above zero yet would make psi infinite
    model_.eigenvalues = model_.eigenvalues_duals;
    for (float& value : model_.eigenvalues) value = std::max(value, 1e-6f);
    return encoder_.to_mlp();
  }
  const bool hidden = config_.rayleigh_ritz == "hidden";
  const auto features = [&](const std::vector<size_t>& rows) {
    const at::Tensor x = data_.train->states(rows).to(device_);
    return hidden ? encoder_.hidden(x) : encoder_.forward(x);
  };
  const RitzResult ritz = rayleigh_ritz(*data_.train, features, config_.gamma, config_.eigenvectors, rng_);
  model_.eigenvalues = ritz.eigenvalues;
  if (hidden) return encoder_.to_mlp(ritz.weight, ritz.bias);
  // the features are themselves the last layer: weight (W h + b) + bias
  const auto all = encoder_.parameters("");
  const size_t last = 2 * (config_.encoder_layers - 1);
  return encoder_.to_mlp(at::mm(ritz.weight, all[last].value.to(at::kCPU)),
                         ritz.bias + at::mv(ritz.weight, all[last + 1].value.to(at::kCPU)));
}

}  // namespace

std::unique_ptr<Part> make_representation(const PartContext& context) {
  return std::make_unique<Representation>(context);
}

}  // namespace alps
