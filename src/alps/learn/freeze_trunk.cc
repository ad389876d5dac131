#include "alps/learn/freeze_trunk.h"

namespace alps {

TrunkNetwork start_trunk(const PartContext& c) {
  constexpr size_t kLook = 1024;  // images that the first scale is taken from
  TrunkNetwork trunk(c.data.train->data().observation_shape, c.config.latent, c.rng.fork(1), c.device);
  Rng rng = c.rng.fork(3);
  trunk.centre(c.data.train->images(c.data.train->sampler().uniform(rng, kLook)).to(c.device));
  return trunk;
}

void freeze_trunk(std::optional<TrunkNetwork>& trunk, Network& head, const PartContext& c) {
  c.model.trunk = trunk->to_trunk();
  c.data.train->encode(c.model.trunk, c.threads);
  if (c.data.validation) c.data.validation->encode(c.model.trunk, c.threads);
  const Normalizer normalizer = fit_normalizer(*c.data.train);
  c.data.train->set_normalizer(normalizer);
  if (c.data.validation) c.data.validation->set_normalizer(normalizer);
  c.model.mean = normalizer.mean;
  c.model.deviation = normalizer.deviation;

  // W x = (W diag(deviation)) x_normalized + W mean
  const at::NoGradGuard no_grad;
  const int64_t size = static_cast<int64_t>(normalizer.size());
  const at::Tensor mean = to_tensor(normalizer.mean, {size}, c.device);
  const at::Tensor deviation = to_tensor(normalizer.deviation, {size}, c.device);
  const auto first = head.parameters("");
  first[1].value.add_(at::mv(first[0].value, mean));
  first[0].value.mul_(deviation);
  trunk.reset();
}

}  // namespace alps
