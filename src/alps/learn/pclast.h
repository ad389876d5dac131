// PcLast (Koul et al. 2024; paper, appendix "PcLast"), the other way of learning the space that is planned in:
//   ACRO (Islam et al. 2022): the encoder xi is trained by multi-step inverse kinematics, the action a_t from xi(s_t),
//     xi(s_{t+k}) and k, k = 1 .. inverse_horizon;
//   the map Gamma on top of xi, which gives xi no gradient, by the contrastive loss
//     -log sigma(e^alpha - e^beta |G(s_t) - G(s_{t+d})|^2) - log(1 - sigma(e^alpha - e^beta |G(s_t) - G(s_r)|^2)),
//     d = 1 .. positive_horizon, s_r any state.
// xi is the trunk of images (for states: the state itself, and only Gamma is learned); Gamma takes psi's place in the
// run, so that forward model, regions and planner are the same as ALPS's. For images the model is one of Gamma, as
// ALPS's is one of phi; a model of xi, PcLast's own, plans worse (docs/maze2d.md).
#pragma once

#include <ATen/ATen.h>

#include "alps/learn/method.h"

namespace alps {

struct PcLastSettings {
  int inverse_horizon = 3;
  int positive_horizon = 5;
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("inverse_horizon", s.inverse_horizon, Range{1, 10000},
          "inverse kinematics: the two states lie 1 .. this many steps apart; images only");
    visit("positive_horizon", s.positive_horizon, Range{1, 10000},
          "contrastive loss: states 1 .. this many steps apart count as near");
  }
};
PartKind pclast_part();

// here, there (n, latent), apart (n, 1) steps between them as a share of the most, actions (n, a)
at::Tensor inverse_loss(const Network& inverse, const at::Tensor& here, const at::Tensor& there,
                        const at::Tensor& apart, const at::Tensor& actions);

// anchor, positive, negative (n, d); alpha, beta scalars
at::Tensor contrastive_loss(const at::Tensor& anchor, const at::Tensor& positive, const at::Tensor& negative,
                            const at::Tensor& alpha, const at::Tensor& beta);

}  // namespace alps
