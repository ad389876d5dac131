// The scaled Laplacian representation psi as a part (paper, sections 2.2 and 3): an encoder is trained by ALLO
// (learn/allo.h), or by log-determinants (learn/logdet.h); a Rayleigh-Ritz solve in the span that it has learned
// (learn/rayleigh_ritz.h) gives the eigenfunctions phi_i and eigenvalues lambda_i; psi_i = phi_i / lambda_i^psi_power.
#pragma once

#include <string>
#include <vector>

#include "alps/learn/method.h"

namespace alps {

struct RepresentationSettings {
  int eigenvectors = 32;
  int encoder_layers = 4;
  int encoder_width = 256;
  std::string objective = "logdet";
  double slow_gain = 0.75;
  double gamma = 0.6;
  int representation_steps = 3000;
  int representation_batch = 512;
  int constraint_batches = 1;
  double representation_lr = 1e-3;
  double dual_start = -1.0;
  double dual_step = 1.0;
  double dual_min = -100.0;
  double dual_max = 100.0;
  double barrier = 0.5;
  std::string rayleigh_ritz = "hidden";
  double psi_power = 0.75;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("eigenvectors", s.eigenvectors, Range{1, 1024},
          "size of psi: how many eigenfunctions are learned, the constant one not counted; more for worlds with many "
          "rooms");
    visit("encoder_layers", s.encoder_layers, Range{2, 16}, "linear layers of the encoder");
    visit("encoder_width", s.encoder_width, Range{1, 8192},
          "units of the encoder's hidden layers; more for worlds with more detail");
    visit("objective", s.objective, Choices{"allo", "logdet"},
          "loss of the encoder: allo (the paper), or logdet, log-determinants over pairs, which needs fewer steps "
          "where states have many columns");
    visit("slow_gain", s.slow_gain, Range{0, 2},
          "the encoder's first weights start larger for columns that change slowly, by this power of their slowness; "
          "for bodies whose position is few of many columns; 0: all alike");
    visit("gamma", s.gamma, Range{0, 0.9999},
          "the states of a pair lie 1 / (1 - gamma) steps apart on average; small where a few steps cross the world");
    visit("representation_steps", s.representation_steps, Range{1, 1e9},
          "training steps of the encoder, at most; more where distances in psi do not follow the corridors");
    visit("representation_batch", s.representation_batch, Range{2, 1 << 20},
          "pairs in a batch; each constraint batch of ALLO has as many rows");
    visit("constraint_batches", s.constraint_batches, Range{1, 2},
          "separate batches for ALLO's constraints: 2 (the paper), or 1, where the states of the pairs are the other, "
          "which is faster");
    visit("representation_lr", s.representation_lr, Range{1e-12, 10}, "learning rate of the encoder");
    visit("dual_start", s.dual_start, Range{-1e6, 1e6},
          "ALLO's dual variables before training: -1 (the paper), or 0 with a larger barrier, for images");
    visit("dual_step", s.dual_step, Range{0, 1e6},
          "ALLO's dual variables move by the learning rate times this times the constraint's error");
    visit("dual_min", s.dual_min, Range{-1e6, 1e6}, "lower bound of ALLO's dual variables");
    visit("dual_max", s.dual_max, Range{-1e6, 1e6}, "upper bound of ALLO's dual variables");
    visit("barrier", s.barrier, Range{0, 1e6},
          "weight of ALLO's squared constraint errors (b of eq. 1); raise it where the outputs collapse");
    visit("rayleigh_ritz", s.rayleigh_ritz, Choices{"off", "outputs", "hidden"},
          "exact solve for the eigenfunctions at the end: off (the paper), in the span of the encoder's outputs, or in "
          "that of its last hidden layer, which needs the fewest training steps");
    visit("psi_power", s.psi_power, Range{0, 2},
          "psi_i = phi_i / lambda_i^psi_power; 0.5: commute time (the paper), 0.75: follows travel time best in mazes, "
          "1: biharmonic distance");
  }
};

PartKind representation_part();

// What psi is scaled with: ascending eigenvalues, where those of which the data saw less than one passage, in so many
// transitions, are taken for as large as the first that it did see.
std::vector<float> seen_eigenvalues(std::vector<float> eigenvalues, size_t transitions, double gamma);

}  // namespace alps
