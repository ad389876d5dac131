#include "alps/learn/freeze_trunk.h"

#include <cmath>

#include "alps/learn/rayleigh_ritz.h"

namespace alps {

namespace {

// features of the states of some pairs, (pairs, m)
struct FeaturePairs {
  at::Tensor from, to;
};

FeaturePairs draw_features(const TrunkNetwork& trunk, const PartContext& c, Rng& rng) {
  constexpr size_t kPairs = 16384, kPiece = 2048;
  const RowPairs pairs = c.data.train->sampler().pairs(rng, kPairs, std::get<double>(c.profile.at("gamma").value));
  std::vector<at::Tensor> from, to;
  for (size_t i = 0; i < kPairs; i += kPiece) {
    const auto piece = [&](const std::vector<size_t>& rows) {
      const std::vector<size_t> chosen(rows.begin() + i, rows.begin() + i + kPiece);
      return trunk.features(c.data.train->images(chosen).to(c.compute.device)).to(at::kCPU);
    };
    from.push_back(piece(pairs.from));
    to.push_back(piece(pairs.to));
  }
  return {at::cat(from), at::cat(to)};
}

TrunkNetwork new_trunk(const PartContext& c, const TrunkSettings& settings) {
  return TrunkNetwork(c.data.train->data().observation_shape, settings, c.rng.fork(1), c.compute.device);
}

}  // namespace

TrunkNetwork slow_trunk(const PartContext& c) {
  const at::NoGradGuard no_grad;
  const auto settings = c.profile.get<TrunkSettings>();
  TrunkNetwork trunk = new_trunk(c, settings);
  Rng rng = c.rng.fork(3);
  const FeaturePairs pairs = draw_features(trunk, c, rng);
  const at::Tensor change = pairs.to - pairs.from, mean = pairs.from.mean(0), centred = pairs.from - mean;
  const double n = static_cast<double>(change.size(0));
  const at::Tensor a = 0.5 * at::mm(change.t(), change) / n, b = at::mm(centred.t(), centred) / n;
  const RitzResult slow =
      solve_ritz(a.to(at::kDouble), b.to(at::kDouble), mean.to(at::kDouble), settings.latent, 1e-5, "latent");
  trunk.set_head(slow.weight, slow.bias);
  return trunk;
}

TrunkNetwork mixed_trunk(const PartContext& c) { return mixed_trunk(c, c.profile.get<TrunkSettings>()); }

TrunkNetwork mixed_trunk(const PartContext& c, const TrunkSettings& settings) {
  const at::NoGradGuard no_grad;
  TrunkNetwork trunk = new_trunk(c, settings);
  Rng rng = c.rng.fork(3);
  const at::Tensor features = draw_features(trunk, c, rng).from;
  // what hardly varies is not blown up
  const at::Tensor variance = features.var(0);
  const at::Tensor scale = at::maximum(variance, 1e-4 * variance.max()).rsqrt();
  const int64_t outputs = settings.latent, inputs = features.size(1);
  std::vector<float> mixture(outputs * inputs);
  for (float& value : mixture) value = static_cast<float>(rng.normal() / std::sqrt(inputs));
  const at::Tensor weight = to_tensor(mixture, {outputs, inputs}, at::kCPU) * scale;
  trunk.set_head(weight, -at::mv(weight, features.mean(0)));
  return trunk;
}

namespace {

// the state of every row has changed
void scale_states(const PartContext& c) {
  const Normalizer normalizer = fit_normalizer(*c.data.train);
  c.data.train->set_normalizer(normalizer);
  if (c.data.validation) c.data.validation->set_normalizer(normalizer);
  c.bundle.vectors["normalizer.mean"] = normalizer.mean;
  c.bundle.vectors["normalizer.deviation"] = normalizer.deviation;
}

// the representation for states of `size` numbers: it takes the first ones, zeros stand for the rest
void resize_representation(Bundle& bundle, size_t size) {
  if (!bundle.has("representation")) return;
  const Mlp& old = bundle.network("representation");
  std::vector<Linear> layers = old.layers();
  const size_t inputs = layers[0].inputs(), outputs = layers[0].outputs();
  std::vector<float> weight(outputs * size, 0.0f);
  for (size_t i = 0; i < outputs; ++i)
    std::copy_n(&layers[0].weight()[i * inputs], std::min(inputs, size), &weight[i * size]);
  layers[0] = Linear(size, outputs, std::move(weight), layers[0].bias());
  bundle.leave("representation", Mlp(std::move(layers), old.norm_gain(), old.norm_bias()),
               bundle.meanings["representation"]);
}

}  // namespace

void set_trunk(Trunk trunk, const PartContext& c) {
  c.bundle.trunk = std::move(trunk);
  c.data.encode(c.bundle.trunk, c.compute.threads);
  scale_states(c);
}

void set_beside(const Trunk& trunk, const PartContext& c) {
  c.bundle.trunk = c.bundle.trunk.with(trunk);
  c.data.encode_more(trunk, c.compute.threads);
  scale_states(c);
  resize_representation(c.bundle, c.bundle.trunk.outputs());
}

void drop_beside(const PartContext& c) {
  const Trunk alone = c.bundle.trunk.alone();
  if (alone.outputs() == c.bundle.trunk.outputs()) return;
  set_trunk(alone, c);
  resize_representation(c.bundle, alone.outputs());
}

Mlp latents_of_states(const Bundle& bundle) {
  const size_t n = bundle.state_size();
  std::vector<float> weight(n * n, 0.0f);
  for (size_t i = 0; i < n; ++i) weight[i * n + i] = bundle.vector("normalizer.deviation")[i];
  return Mlp({Linear(n, n, std::move(weight), bundle.vector("normalizer.mean"))});
}

}  // namespace alps
