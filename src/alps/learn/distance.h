// A temporal distance (HILP's Hilbert representation, Park et al. 2024; GAS's TDR, Baek et al. 2025): phi such that
// |phi(s) - phi(g)| is the number of steps that the best behaviour in the data takes from s to g, discounted. -|phi(s)
// - phi(g)| is learned as GCIVL's value, an upper expectile of what followed. Distances of the form obey the triangle
// inequality and are the same both ways, and a way to a goal is a direction in phi. The first part of hilp and gas.
#pragma once

#include "alps/learn/agent.h"

namespace alps {

struct DistanceSettings {
  int latent = 32;
  double distance_expectile = 0.999;
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("latent", s.latent, Range{1, 8192}, "numbers of phi, in which distance is steps");
    visit("distance_expectile", s.distance_expectile, Range{0.01, 0.9999},
          "of the distance; nearer to 1 is nearer to the shortest way that was seen, and to chance");
  }
};

struct DistanceNetworks {
  Twins phi;     // (state) -> latent
  Twins target;  // its slow copy
};

// of rows (n, latent): (n), with a floor of 1e-3, where the root has no slope
at::Tensor latent_distance(const at::Tensor& from, const at::Tensor& to);

Loss distance_loss(const DistanceNetworks& networks, const GoalBatch& batch, double discount, double expectile);

// leaves the first of the two as network "phi"; a method's own expectile of the distance
PartKind distance_part(double distance_expectile);

}  // namespace alps
