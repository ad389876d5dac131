#include "alps/learn/direction.h"

#include <algorithm>
#include <limits>

namespace alps {

at::Tensor unit_length(const at::Tensor& x) { return x / (x.norm(2, {1}, true) + 1e-10); }

LatentRows::LatentRows(const Split& split, const Mlp& phi, int threads)
    : first_(std::numeric_limits<size_t>::max()), latent_(phi.outputs()) {
  constexpr size_t kBlock = 16384;
  size_t end = 0;
  for (const Episode& e : split.sampler().episodes()) {
    first_ = std::min(first_, e.first);
    end = std::max(end, e.last + 1);
  }
  values_.resize((end - first_) * latent_);
  std::vector<size_t> rows;
  for (size_t begin = first_; begin < end; begin += kBlock) {
    rows.clear();
    for (size_t row = begin; row < std::min(end, begin + kBlock); ++row) rows.push_back(row);
    const at::Tensor states = split.states(rows);
    phi.forward({states.data_ptr<float>(), static_cast<size_t>(states.numel())},
                std::span(values_).subspan((begin - first_) * latent_, rows.size() * latent_), threads);
  }
}

at::Tensor LatentRows::of(const std::vector<size_t>& rows) const {
  std::vector<float> found(rows.size() * latent_);
  for (size_t i = 0; i < rows.size(); ++i)
    std::copy_n(&values_[(rows[i] - first_) * latent_], latent_, &found[i * latent_]);
  return to_tensor(found, {static_cast<int64_t>(rows.size()), static_cast<int64_t>(latent_)}, at::kCPU);
}

std::span<const float> LatentRows::episode(const Episode& e) const {
  return std::span(values_).subspan((e.first - first_) * latent_, e.rows() * latent_);
}

CriticBatch critic_batch(const DirectionBatch& b, double discount) {
  return {.states = b.states,
          .next = b.next,
          .actions = b.actions,
          .value_goals = b.directions,
          .actor_goals = b.actor_directions,
          .reward = ((b.there - b.here) * b.directions).sum(1),
          .go_on = at::full({}, discount, b.states.options())};
}

PartKind direction_kind() {
  return {.name = "agent",
          .networks = {"value", "critic_one", "critic_two", "actor"},
          .needs = {"phi"},
          .columns = {"value_loss", "critic_loss", "actor_loss", "value"},
          .declare = {},
          .preset = [](Profile&, std::string_view, const Survey&) {},
          .make = {}};
}

DirectionPart::DirectionPart(const PartContext& c)
    : CriticPart(c, static_cast<int64_t>(c.bundle.network("phi").outputs()), "direction in phi") {}

const DirectionPart::Rows& DirectionPart::rows_of(const Split& split) {
  auto& rows = &split == &*context_.data.train ? train_ : held_out_;
  if (!rows) {
    LatentRows latents(split, context_.bundle.network("phi"), context_.compute.threads);
    std::vector<size_t> ahead = prepare(split, latents);
    rows = Rows{std::move(latents), std::move(ahead)};
  }
  return *rows;
}

at::Tensor DirectionPart::any_directions(Rng& rng, size_t n) const {
  const size_t latent = context_.bundle.network("phi").outputs();
  std::vector<float> values(n * latent);
  for (float& value : values) value = static_cast<float>(rng.normal());
  return unit_length(to_tensor(values, {static_cast<int64_t>(n), static_cast<int64_t>(latent)}, at::kCPU));
}

DirectionBatch DirectionPart::draw_steps(const Split& split, Rng& rng, std::vector<Sampler::Position>& positions) {
  const LatentRows& latents = rows_of(split).latents;
  positions = split.sampler().positions(rng, settings_.agent_batch);
  std::vector<size_t> from, to;
  for (const auto& [row, remaining] : positions) {
    from.push_back(row);
    to.push_back(row + 1);
  }
  const at::Device device = context_.compute.device;
  return {.states = split.states(from).to(device),
          .next = split.states(to).to(device),
          .actions = split.actions(from).to(device),
          .here = latents.of(from).to(device),
          .there = latents.of(to).to(device),
          .directions = any_directions(rng, from.size()).to(device),
          .actor_directions = {}};
}

}  // namespace alps
