// CRL, contrastive reinforcement learning (Eysenbach et al. 2022). phi(s, a) and psi(g) are made to have a large
// product where g is a state that the same trajectory reaches later (geometric, by the discount), and a small one where
// g belongs to another example of the batch: f = phi^T psi / sqrt(d) is then, up to a constant, the logarithm of how
// often g is visited after s and a. The actor maximizes it and stays near the data (DDPG+BC).
#pragma once

#include "alps/learn/agent.h"

namespace alps {

struct CrlSettings {
  int latent = 512;
  double bc_weight = 0.1;
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("latent", s.latent, Range{1, 8192}, "numbers of phi and psi");
    visit("bc_weight", s.bc_weight, Range{0, 1000}, "how much staying near the data's actions counts for the actor");
  }
};

struct CrlNetworks {
  Twins phi;      // (state, action) -> latent
  Twins psi;      // (goal) -> latent
  Network actor;  // (state, goal) -> action
};

Loss crl_loss(const CrlNetworks& networks, const GoalBatch& batch, double bc_weight);

PartKind crl_part();

}  // namespace alps
