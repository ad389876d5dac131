// Actors that are told a direction in a learned distance (learn/distance.h) instead of a goal, as HILP (Park et al.
// 2024) and GAS (Baek et al. 2025) train them: a step is worth how far it gets in that direction z, (phi(s') - phi(s))
// z, and the values of gciql learn what that adds up to, without an end. What the two share: the directions of a batch,
// and phi of all rows of the data, which is made once.
#pragma once

#include <optional>

#include "alps/learn/gciql.h"

namespace alps {

// rows (n, latent) of length 1
at::Tensor unit_length(const at::Tensor& x);

// phi of the rows of a split's episodes
class LatentRows {
 public:
  LatentRows(const Split& split, const Mlp& phi, int threads);
  at::Tensor of(const std::vector<size_t>& rows) const;  // (n, latent)
  std::span<const float> episode(const Episode& episode) const;
  size_t first() const { return first_; }  // row of the data

 private:
  size_t first_, latent_;
  std::vector<float> values_;
};

struct DirectionBatch {
  at::Tensor states, next, actions;
  at::Tensor here, there;       // phi of states and next, (n, latent)
  at::Tensor directions;        // any, for the values
  at::Tensor actor_directions;  // for the actor
};

// what the values learn from it
CriticBatch critic_batch(const DirectionBatch& batch, double discount);

PartKind direction_kind();  // "agent", with its networks and columns; declare, preset and make are the learner's

// the part's data; `Rows` of each split are made when they are first asked for
class DirectionPart : public CriticPart {
 protected:
  explicit DirectionPart(const PartContext& c);

  struct Rows {
    LatentRows latents;
    std::vector<size_t> ahead;  // of each row, see prepare
  };
  // what a learner wants to know of each row beforehand: nothing, or a row further on
  virtual std::vector<size_t> prepare(const Split&, const LatentRows&) const { return {}; }
  const Rows& rows_of(const Split& split);
  at::Tensor any_directions(Rng& rng, size_t n) const;
  // states, next, actions, here, there, directions
  DirectionBatch draw_steps(const Split& split, Rng& rng, std::vector<Sampler::Position>& positions);

 private:
  std::optional<Rows> train_, held_out_;
};

}  // namespace alps
