#include "alps/learn/freeze_trunk.h"

#include "alps/learn/rayleigh_ritz.h"

namespace alps {

TrunkNetwork start_trunk(const PartContext& c) {
  constexpr size_t kPairs = 16384, kPiece = 2048;
  const at::NoGradGuard no_grad;
  TrunkNetwork trunk(c.data.train->data().observation_shape, c.config.latent, c.rng.fork(1), c.device);
  Rng rng = c.rng.fork(3);
  const RowPairs pairs = c.data.train->sampler().pairs(rng, kPairs, c.config.gamma);
  std::vector<at::Tensor> from, to;
  for (size_t i = 0; i < kPairs; i += kPiece) {
    const auto piece = [&](const std::vector<size_t>& rows) {
      const std::vector<size_t> chosen(rows.begin() + i, rows.begin() + i + kPiece);
      return trunk.features(c.data.train->images(chosen).to(c.device)).to(at::kCPU);
    };
    from.push_back(piece(pairs.from));
    to.push_back(piece(pairs.to));
  }
  const at::Tensor here = at::cat(from), change = at::cat(to) - here, mean = here.mean(0), centred = here - mean;
  const double n = kPairs;
  const at::Tensor a = 0.5 * at::mm(change.t(), change) / n, b = at::mm(centred.t(), centred) / n;
  const RitzResult slow = solve_ritz(a.to(at::kDouble), b.to(at::kDouble), mean.to(at::kDouble), c.config.latent, 1e-5);
  trunk.set_head(slow.weight, slow.bias);
  return trunk;
}

void set_trunk(Trunk trunk, const PartContext& c) {
  c.model.trunk = std::move(trunk);
  c.data.train->encode(c.model.trunk, c.threads);
  if (c.data.validation) c.data.validation->encode(c.model.trunk, c.threads);
  const Normalizer normalizer = fit_normalizer(*c.data.train);
  c.data.train->set_normalizer(normalizer);
  if (c.data.validation) c.data.validation->set_normalizer(normalizer);
  c.model.mean = normalizer.mean;
  c.model.deviation = normalizer.deviation;
}

}  // namespace alps
