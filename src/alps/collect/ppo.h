// Proximal policy optimization (Schulman et al. 2017) on our own kernels, for teachers that learn from many bodies at
// once. A Gaussian policy whose deviation does not depend on the state, and a critic of normalized returns:
//   A_t    = sum_k (discount lambda)^k (r + discount V(s') - V(s))_(t+k)            (generalized advantages)
//   policy = mean -min(p A, clip(p, 1 - clip, 1 + clip) A),   p = pi(a|s) / pi_old(a|s)
//   critic = mean (V(s) - (A + V_old(s)))^2
// The learning rate follows the divergence from the old policy. Each sample of a minibatch is replaced by its
// reflection (left and right exchanged) with probability one half. Gradients are written out and checked against
// PyTorch's autograd (tests/golden). Same seed, same weights, for any number of threads.
#pragma once

#include <span>
#include <vector>

#include "alps/base/rng.h"
#include "alps/collect/gaussian_policy.h"
#include "alps/collect/running_scale.h"
#include "alps/nn/trained_mlp.h"
#include "alps/world/mirror.h"

namespace alps {

struct PpoParams {
  std::vector<size_t> hidden = {256, 256, 128};  // units of the hidden layers of both networks
  size_t minibatch = 960;                        // samples of an update
  int epochs = 4;                                // times each sample is used
  double clip = 0.2;
  double discount = 0.99, lambda = 0.95;
  double lr = 1e-3;        // at the beginning
  double lr_least = 1e-4;  // the divergence moves it between these
  double lr_most = 1e-3;
  double divergence = 0.03;       // wanted, of an iteration; twice as much slows learning, half as much hurries it
  double longest_gradient = 1.0;  // of each network
  double sigma = 0.35;            // deviation of the actions at the beginning
  double sigma_least = 0.1, sigma_most = 0.5;
  double entropy = 0.0;        // weight of the policy's entropy
  double output_scale = 0.01;  // of the policy's last weights: it begins near zero, where left and right agree
  bool mirror = true;
};

struct PpoStats {
  double policy_loss = 0, value_loss = 0, divergence = 0, clipped = 0, lr = 0, sigma = 0, epochs = 0;
  double explained = 0;  // share of the returns' variance that the critic knew
};

// what the bodies went through in an iteration; rows are those of body 0, then of body 1, ...
struct PpoRollout {
  enum End : char { kGoesOn, kTerminated, kCut };
  size_t bodies = 0, steps = 0;
  std::vector<float> observations, actions, means, log_probs, rewards;
  std::vector<char> ends;
  std::vector<float> log_sigma;  // of the policy that acted
  // where an episode was cut, and after the last step of each body: what was seen then, by row
  std::vector<std::pair<size_t, std::vector<float>>> after;
  PpoRollout(size_t bodies, size_t steps, size_t observation_size, size_t action_size);
  size_t rows() const { return bodies * steps; }
};

// advantages (rows) of one body, from rewards, values, and the values of what followed (0 after a termination)
void generalized_advantages(std::span<const float> rewards, std::span<const float> values,
                            std::span<const float> next_values, std::span<const char> ends, double discount,
                            double lambda, std::span<float> out);

class Ppo {
 public:
  // the mirrors are empty where there is no symmetry
  Ppo(size_t observation_size, size_t action_size, MirrorMap observations, MirrorMap actions, const PpoParams& params,
      Rng rng);

  GaussianPolicy policy() const;
  PpoStats update(const PpoRollout& rollout, Rng rng, int threads);

  void store(Tensors& tensors) const;
  void load(const Tensors& tensors);

 private:
  struct Batch;  // samples with their advantages and returns
  void values(std::span<const float> observations, std::span<float> out, int threads) const;
  void judge(const PpoRollout& rollout, Batch& batch, PpoStats& stats, int threads);
  void minibatch(const PpoRollout& rollout, Batch& batch, std::span<const size_t> rows, Rng rng, int threads,
                 PpoStats& stats);
  std::vector<double> policy_gradient(const PpoRollout& rollout, Batch& batch, std::span<const size_t> rows,
                                      const std::vector<char>& mirrored, const std::vector<float>& means,
                                      std::vector<float>& gradient, PpoStats& stats);
  double divergence(std::span<const float> old_mean, std::span<const float> mean,
                    std::span<const float> old_log_sigma) const;
  void move_log_sigma(const std::vector<double>& slope);

  size_t observation_size_, action_size_;
  MirrorMap observation_mirror_, action_mirror_;
  PpoParams params_;
  TrainedMlp actor_, critic_;
  std::vector<float> log_sigma_, sigma_first_, sigma_second_;
  int64_t updates_ = 0;
  double lr_;
  RunningScale seen_, returns_;
};

}  // namespace alps
