#include "alps/learn/representation.h"

#include <algorithm>
#include <cmath>

#include "alps/learn/allo.h"
#include "alps/learn/freeze_trunk.h"
#include "alps/learn/logdet.h"
#include "alps/learn/rayleigh_ritz.h"
#include "alps/learn/trunk_settings.h"

namespace alps {
namespace {

constexpr double kFastPace = 0.375;  // of a world that a few steps cross: pairs are hardly more than a step apart

class Representation : public LossPart {
 public:
  explicit Representation(const PartContext& c)
      : LossPart(c),
        settings_(c.profile.get<RepresentationSettings>()),
        rng_(c.rng.fork(2)),
        encoder_(shape(c), c.rng.fork(0), c.compute),
        duals_(start_duals(settings_.eigenvectors, settings_.dual_start, c.compute.device)) {
    if (c.data.image()) trunk_.emplace(slow_trunk(c));
    if (!c.data.image() && settings_.slow_gain > 0) favour_slow_columns();
  }

  Schedule schedule() const override {
    // not by its loss: logdet's stands still for a while before it falls, ALLO's rises while its duals do
    const std::string kind = context_.profile.get<LoopSettings>().lr_schedule;
    return {settings_.representation_steps, settings_.representation_lr, kind == "settle" ? "cosine" : kind};
  }

  void finish() override;

 private:
  std::vector<NamedTensor> parameters() const override {
    std::vector<NamedTensor> list = encoder_.parameters("representation");
    if (trunk_)
      for (const NamedTensor& tensor : trunk_->parameters("trunk")) list.push_back(tensor);
    return list;
  }
  std::vector<NamedTensor> more_state() const override { return {{"duals", duals_}}; }

  Loss loss(const Split& split, Rng rng) override {
    const Outputs u = outputs(draw(split, rng), split);
    if (!allo()) return {logdet_loss(u.sorted()), {}};
    const AlloLoss loss = allo_loss(u.values, settings_.representation_batch, duals_, settings_.barrier, u.places,
                                    context_.compute.threads);
    error_ = loss.error;
    return {loss.total,
            {{"graph_loss", loss.graph},
             {"dual_loss", loss.dual},
             {"barrier_loss", loss.barrier},
             {"orthonormality", loss.error.abs().max()}}};
  }

  void after_step(double lr) override {
    if (allo()) update_duals(duals_, error_, settings_.dual_step * lr, settings_.dual_min, settings_.dual_max);
  }

  bool allo() const { return settings_.objective == "allo"; }
  void favour_slow_columns();
  Mlp eigenfunctions();
  Mlp scaled(const Mlp& phi) const;

  static NetworkShape shape(const PartContext& c) {
    const auto s = c.profile.get<RepresentationSettings>();
    const int latent = c.profile.get<TrunkSettings>().latent;
    const size_t inputs = c.data.image() ? static_cast<size_t>(latent) : c.data.train->state_size();
    return {inputs, static_cast<size_t>(s.eigenvectors), s.encoder_layers, s.encoder_width, true};
  }

  // states of pairs, their successors, and for ALLO its independent batches, as 2n, 3n or 4n rows
  std::vector<size_t> draw(const Split& split, Rng& rng) {
    const Stopwatch watch(sampling_seconds);
    const size_t n = settings_.representation_batch;
    const RowPairs pairs = split.sampler().pairs(rng, n, settings_.gamma);
    std::vector<size_t> rows = pairs.from;
    rows.insert(rows.end(), pairs.to.begin(), pairs.to.end());
    if (!allo()) return rows;
    const std::vector<size_t> constraint = split.sampler().uniform(rng, settings_.constraint_batches * n);
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
      const at::Device device = context_.compute.device;
      if (trunk_) {
        batch = split.images(rows).to(device);
      } else {
        const std::vector<int64_t> order = split.nearby(rows);
        std::vector<size_t> sorted;
        places.resize(rows.size());
        for (const int64_t i : order) {
          places[i] = static_cast<int64_t>(sorted.size());
          sorted.push_back(rows[i]);
        }
        batch = split.states(sorted).to(device);
      }
    }
    return {encoder_.forward(trunk_ ? trunk_->forward(batch) : batch), std::move(places)};
  }

  const RepresentationSettings settings_;
  Rng rng_;
  Network encoder_;
  std::optional<TrunkNetwork> trunk_;
  at::Tensor duals_, error_;
  std::vector<float> eigenvalues_;
};

// The eigenfunctions that matter are smooth in time, but need not be in the columns that change slowly: an ant's place
// is two of 29. The first layer starts with larger weights for columns that change less from step to step than the
// median.
void Representation::favour_slow_columns() {
  constexpr float kMost = 10;
  const at::NoGradGuard no_grad;
  const std::vector<float> change =
      fit_changes(*context_.data.train, context_.bundle.vector("normalizer.deviation")).deviation;
  std::vector<float> sorted = change, gains;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<ptrdiff_t>(sorted.size() / 2), sorted.end());
  for (const float own : change) {
    const float slower = sorted[sorted.size() / 2] / own;
    gains.push_back(std::clamp(std::pow(slower, static_cast<float>(settings_.slow_gain)), 1.0f, kMost));
  }
  encoder_.scale_inputs(to_tensor(gains, {static_cast<int64_t>(gains.size())}, context_.compute.device));
}

void Representation::finish() {
  const at::NoGradGuard no_grad;
  TrainData& data = context_.data;
  if (trunk_) {
    // every distinct image passes the convolutions once; the encoder takes latents as they are
    const auto size = static_cast<size_t>(context_.profile.get<TrunkSettings>().latent);
    data.train->encode(trunk_->to_trunk(), context_.compute.threads);
    data.train->set_normalizer({std::vector<float>(size, 0.0f), std::vector<float>(size, 1.0f)});
  }
  const Mlp phi = eigenfunctions();
  Bundle& bundle = context_.bundle;
  if (trunk_) {
    // images: the state on which model and prior are trained is phi itself, smooth and of the world's own shape, and
    // psi is a scale away from it
    set_trunk(trunk_->to_trunk(phi), context_);
    bundle.leave("representation", scaled(latents_of_states(bundle)), "state -> psi");
  } else {
    bundle.leave("representation", scaled(phi), "state -> psi");
  }
  bundle.vectors["representation.eigenvalues"] = eigenvalues_;
  bundle.vectors["representation.eigenvalues_duals"] = allo() ? dual_eigenvalues(duals_) : eigenvalues_;
}

// psi_i = phi_i / lambda_i^psi_power
Mlp Representation::scaled(const Mlp& phi) const {
  std::vector<Linear> layers = phi.layers();
  const Linear last = layers.back();
  std::vector<float> weight = last.weight(), bias = last.bias();
  for (size_t i = 0; i < bias.size(); ++i) {
    const float scale = std::pow(eigenvalues_[i], static_cast<float>(-settings_.psi_power));
    bias[i] *= scale;
    for (size_t k = 0; k < last.inputs(); ++k) weight[i * last.inputs() + k] *= scale;
  }
  layers.back() = Linear(last.inputs(), last.outputs(), std::move(weight), std::move(bias));
  return Mlp(std::move(layers), phi.norm_gain(), phi.norm_bias());
}

// phi on states, or on latents of the trunk, and its eigenvalues
Mlp Representation::eigenfunctions() {
  if (settings_.rayleigh_ritz == "off") {
    // the paper's; an eigenvalue that the duals have not brought above zero yet would make psi infinite
    eigenvalues_ = dual_eigenvalues(duals_);
    for (float& value : eigenvalues_) value = std::max(value, 1e-6f);
    return encoder_.to_mlp();
  }
  const bool hidden = settings_.rayleigh_ritz == "hidden";
  const auto features = [&](const std::vector<size_t>& rows) {
    const at::Tensor x = context_.data.train->states(rows).to(context_.compute.device);
    return hidden ? encoder_.hidden(x) : encoder_.forward(x);
  };
  const RitzResult ritz = rayleigh_ritz(*context_.data.train, features, settings_.gamma, settings_.eigenvectors, rng_,
                                        context_.compute.threads);
  eigenvalues_ = seen_eigenvalues(ritz.eigenvalues, context_.data.train->sampler().transitions(), settings_.gamma);
  if (hidden) return encoder_.to_mlp(ritz.weight, ritz.bias);
  // the features are themselves the last layer: weight (W h + b) + bias
  const auto all = encoder_.parameters("");
  const size_t last = 2 * (settings_.encoder_layers - 1);
  return encoder_.to_mlp(at::mm(ritz.weight, all[last].value.to(at::kCPU)),
                         ritz.bias + at::mv(ritz.weight, all[last + 1].value.to(at::kCPU)));
}

}  // namespace

// A function that tells apart two parts of the data between which nothing passes has an eigenvalue of almost zero, and
// psi would make it as large as it is useless: what the encoder leaks of it next to the wall between them would drown
// all else. In so many pairs, an eigenvalue below 1 / (pairs (1 - gamma)) stands for less than one passage.
std::vector<float> seen_eigenvalues(std::vector<float> eigenvalues, size_t transitions, double gamma) {
  const double least = 1 / (std::max(1.0, static_cast<double>(transitions)) * (1 - gamma));
  // not the bound but the first that is above it, as if that function were the slowest
  const auto first = std::ranges::find_if(eigenvalues, [&](float value) { return value >= least; });
  if (first != eigenvalues.end()) std::fill(eigenvalues.begin(), first, *first);
  return eigenvalues;
}

namespace {

void preset(Profile& profile, std::string_view name, const Survey& survey) {
  RepresentationSettings s;
  if (name == "paper") {
    s.objective = "allo";
    s.slow_gain = 0;
    s.representation_steps = survey.image ? 500'000 : 1'000'000;
    s.representation_batch = survey.image ? 256 : 1024;
    s.constraint_batches = 2;
    s.representation_lr = 1e-4;
    s.rayleigh_ritz = "off";
    s.psi_power = 0.5;
    profile.put(s, Origin::kPreset);
    return;
  }
  // where a step is a large part of the world, the states of a pair must not lie further apart than a step or two
  const std::string pace = str("a step covers a share of ", survey.pace, " of the slowest column's deviation");
  s.gamma = std::round(100 * std::clamp(1 - survey.pace / kFastPace, 0.2, 0.6)) / 100;
  if (survey.pace > kFastPace / 2) s.psi_power = 0.5;
  profile.put(s, Origin::kMeasured, pace);
  if (survey.image) {
    // orthonormality from the start by the barrier alone: duals that start at -1 hold 32 equal functions together for
    // thousands of steps
    s.objective = "allo";
    s.slow_gain = 0;
    s.representation_steps = 2000;
    s.representation_batch = 256;
    s.dual_start = 0;
    s.barrier = 2;
    profile.put(s, Origin::kMeasured, "images");
  }
}

void check(const Profile& profile) {
  const auto s = profile.get<RepresentationSettings>();
  if (s.objective == "logdet" && s.rayleigh_ritz == "off")
    throw UsageError("objective=logdet finds a span only; set rayleigh_ritz=hidden or outputs with it");
  profile.get<TrunkSettings>().shape();
}

}  // namespace

PartKind representation_part() {
  return {.name = "representation",
          .networks = {"representation"},
          .needs = {},
          .columns = {"graph_loss", "dual_loss", "barrier_loss", "orthonormality"},
          .declare =
              [](Profile& p) {
                p.add<RepresentationSettings>("representation");
                p.add<TrunkSettings>("trunk");
              },
          .preset = preset,
          .make = [](const PartContext& c) { return std::make_unique<Representation>(c); },
          .check = check};
}

}  // namespace alps
