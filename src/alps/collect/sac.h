// Soft actor-critic (Haarnoja et al. 2018) on our own kernels, for the experts that data making needs. A policy that
// answers with a Gaussian squashed by tanh, two critics, slowly following targets, and a temperature that holds the
// policy's entropy:
//   y      = r + discount (min_k Q'_k(s', a') - alpha log pi(a'|s')),   a' ~ pi(.|s')
//   critic = sum_k mean (Q_k(s, a) - y)^2
//   policy = mean (alpha log pi(a|s) - mean_k Q_k(s, a)),               a = tanh(mu + sigma noise)
// Gradients are written out and checked against PyTorch's autograd (tests/golden). Same seed, same weights, for any
// number of threads.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "alps/nn/trained_mlp.h"

namespace alps {

struct SacParams {
  size_t hidden = 256;          // units of both hidden layers of every network
  size_t batch = 256;           // transitions of an update
  double lr = 3e-4;             // of Adam, for all networks and the temperature
  double discount = 0.99;       // of a step
  double tau = 0.005;           // how fast the targets follow
  double target_entropy = 0.5;  // times -(size of the action)
};

struct SacStats {
  double critic_loss = 0, actor_loss = 0, alpha = 0, entropy = 0, q = 0;
};

// rows of transitions, each (observation, action, reward, next observation, 1 if more can follow else 0)
struct SacBatch {
  std::vector<float> observations, actions, rewards, next_observations, masks;
};

class Sac {
 public:
  Sac(size_t observation_size, size_t action_size, const SacParams& params, Rng rng);

  // one update; `rng` gives the noise of the actions
  SacStats update(const SacBatch& batch, Rng rng, int threads);

  // mu and log sigma of one observation -> an action; without rng the deterministic tanh(mu)
  static void act(const Mlp& policy, std::span<const double> observation, Rng* rng, std::span<double> action);
  Mlp policy() const { return actor_.mlp(); }

  void store(Tensors& tensors) const;
  void load(const Tensors& tensors);

 private:
  struct Sample {
    std::vector<float> actions, noise, log_sigmas, log_probs;
    std::vector<char> clipped;
  };
  Sample sample(const std::vector<float>& observations, Rng rng, int threads);
  void to_critic(TrainedMlp& critic, const std::vector<float>& observations, const std::vector<float>& actions,
                 std::vector<float>& q);

  size_t observation_size_, action_size_;
  SacParams params_;
  TrainedMlp actor_;
  std::array<TrainedMlp, 2> critics_, targets_;
  double log_alpha_ = 0, alpha_first_ = 0, alpha_second_ = 0;
  int64_t updates_ = 0;
};

}  // namespace alps
