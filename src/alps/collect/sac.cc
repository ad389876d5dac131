#include "alps/collect/sac.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "alps/base/threads.h"

namespace alps {
namespace {

constexpr float kLowestLogSigma = -5.0f, kHighestLogSigma = 2.0f;

// log(1 - tanh(u)^2), which does not vanish where tanh rounds to one
float log_slope(float u) {
  const float x = -2 * u;
  const float softplus = x > 15 ? x : std::log1p(std::exp(x));
  return 2 * (std::numbers::ln2_v<float> - u - softplus);
}

}  // namespace

Sac::Sac(size_t observation_size, size_t action_size, const SacParams& params, Rng rng)
    : observation_size_(observation_size), action_size_(action_size), params_(params) {
  const size_t h = params.hidden, both = observation_size + action_size;
  actor_ = TrainedMlp({observation_size, h, h, 2 * action_size}, rng);
  for (size_t k = 0; k < 2; ++k) {
    critics_[k] = TrainedMlp({both, h, h, 1}, rng);
    targets_[k] = TrainedMlp({both, h, h, 1}, rng);
    targets_[k].follow(critics_[k], 1.0f);
  }
}

void Sac::act(const Mlp& policy, std::span<const double> observation, Rng* rng, std::span<double> action) {
  const size_t size = action.size();
  const std::vector<float> in(observation.begin(), observation.end());
  std::vector<float> out(2 * size);
  policy.forward(in, out);
  for (size_t j = 0; j < size; ++j) {
    const double sigma = std::exp(std::clamp(out[size + j], kLowestLogSigma, kHighestLogSigma));
    action[j] = std::tanh(out[j] + (rng ? sigma * rng->normal() : 0.0));
  }
}

Sac::Sample Sac::sample(const std::vector<float>& observations, Rng rng, int threads) {
  const size_t rows = observations.size() / observation_size_, size = action_size_;
  std::copy(observations.begin(), observations.end(), actor_.start(rows, threads));
  std::vector<float> out(rows * 2 * size);
  actor_.forward(out.data());
  Sample s{.actions = std::vector<float>(rows * size),
           .noise = std::vector<float>(rows * size),
           .log_sigmas = std::vector<float>(rows * size),
           .log_probs = std::vector<float>(rows),
           .clipped = std::vector<char>(rows * size)};
  const float half_log_2pi = 0.5f * std::log(2 * std::numbers::pi_v<float>);
  for (size_t r = 0; r < rows; ++r) {
    for (size_t j = 0; j < size; ++j) {
      const size_t at = r * size + j;
      const float mu = out[r * 2 * size + j], raw = out[r * 2 * size + size + j];
      s.log_sigmas[at] = std::clamp(raw, kLowestLogSigma, kHighestLogSigma);
      s.clipped[at] = raw < kLowestLogSigma || raw > kHighestLogSigma;
      s.noise[at] = static_cast<float>(rng.normal());
      const float u = mu + std::exp(s.log_sigmas[at]) * s.noise[at];
      s.actions[at] = std::tanh(u);
      s.log_probs[r] -= 0.5f * s.noise[at] * s.noise[at] + s.log_sigmas[at] + half_log_2pi + log_slope(u);
    }
  }
  return s;
}

void Sac::to_critic(TrainedMlp& critic, const std::vector<float>& observations, const std::vector<float>& actions,
                    std::vector<float>& q) {
  const size_t rows = q.size();
  float* in = critic.start(rows);
  for (size_t r = 0; r < rows; ++r, in += observation_size_ + action_size_) {
    std::copy_n(&observations[r * observation_size_], observation_size_, in);
    std::copy_n(&actions[r * action_size_], action_size_, in + observation_size_);
  }
  critic.forward(q.data());
}

SacStats Sac::update(const SacBatch& batch, Rng rng, int threads) {
  const size_t rows = batch.rewards.size(), size = action_size_;
  const float n = static_cast<float>(rows), alpha = static_cast<float>(std::exp(log_alpha_));
  SacStats stats;
  std::array<std::vector<float>, 2> q, gradient;
  for (size_t k = 0; k < 2; ++k) q[k].resize(rows), gradient[k].resize(rows);

  // what the critics should say: the reward, and what follows it under the policy
  const Sample next = sample(batch.next_observations, rng.fork(0), threads);
  parallel_for(2, threads, [&](size_t k) { to_critic(targets_[k], batch.next_observations, next.actions, q[k]); });
  std::vector<float> goal(rows);
  for (size_t r = 0; r < rows; ++r)
    goal[r] = batch.rewards[r] + static_cast<float>(params_.discount) * batch.masks[r] *
                                     (std::min(q[0][r], q[1][r]) - alpha * next.log_probs[r]);

  // critics
  parallel_for(2, threads, [&](size_t k) {
    to_critic(critics_[k], batch.observations, batch.actions, q[k]);
    for (size_t r = 0; r < rows; ++r) gradient[k][r] = 2 * (q[k][r] - goal[r]) / n;
    critics_[k].backward(gradient[k].data(), nullptr);
    critics_[k].adam(params_.lr);
  });
  for (size_t k = 0; k < 2; ++k)
    for (size_t r = 0; r < rows; ++r) {
      stats.critic_loss += (q[k][r] - goal[r]) * (q[k][r] - goal[r]) / n;
      stats.q += q[k][r] / (2 * n);
    }

  // policy: the critics say which way its actions should go
  const Sample here = sample(batch.observations, rng.fork(1), threads);
  std::array<std::vector<float>, 2> in_gradient;
  parallel_for(2, threads, [&](size_t k) {
    to_critic(critics_[k], batch.observations, here.actions, q[k]);
    std::fill(gradient[k].begin(), gradient[k].end(), -0.5f / n);
    in_gradient[k].resize(rows * critics_[k].inputs());
    critics_[k].backward(gradient[k].data(), in_gradient[k].data(), Backprop::Of::kInput);
  });
  std::vector<float> out_gradient(rows * 2 * size);
  for (size_t r = 0; r < rows; ++r) {
    for (size_t j = 0; j < size; ++j) {
      const size_t at = r * size + j, in = r * (observation_size_ + size) + observation_size_ + j;
      const float a = here.actions[at], slope = 1 - a * a;
      // through tanh, from the critics and from -log(1 - a^2)
      const float u = (in_gradient[0][in] + in_gradient[1][in]) * slope + 2 * alpha * a / n;
      out_gradient[r * 2 * size + j] = u;
      const float log_sigma = u * std::exp(here.log_sigmas[at]) * here.noise[at] - alpha / n;
      out_gradient[r * 2 * size + size + j] = here.clipped[at] ? 0.0f : log_sigma;
    }
    stats.entropy -= here.log_probs[r] / n;
    stats.actor_loss += (alpha * here.log_probs[r] - 0.5f * (q[0][r] + q[1][r])) / n;
  }
  actor_.backward(out_gradient.data(), nullptr);
  actor_.adam(params_.lr);

  // temperature: mean alpha (entropy - target), by Adam on log alpha
  ++updates_;
  const double slope = alpha * (stats.entropy + params_.target_entropy * static_cast<double>(size));
  alpha_first_ += 0.1 * (slope - alpha_first_);
  alpha_second_ += 0.001 * (slope * slope - alpha_second_);
  const double first = alpha_first_ / (1 - std::pow(0.9, updates_));
  const double second = alpha_second_ / (1 - std::pow(0.999, updates_));
  log_alpha_ -= params_.lr * first / (std::sqrt(second) + 1e-8);
  stats.alpha = std::exp(log_alpha_);

  for (size_t k = 0; k < 2; ++k) targets_[k].follow(critics_[k], static_cast<float>(params_.tau));
  return stats;
}

void Sac::store(Tensors& tensors) const {
  actor_.store(tensors, "actor");
  for (size_t k = 0; k < 2; ++k) {
    critics_[k].store(tensors, str("critic", k));
    targets_[k].store(tensors, str("target", k));
  }
  const double alpha[] = {log_alpha_, alpha_first_, alpha_second_, static_cast<double>(updates_)};
  tensors.arrays["alpha"] = Array::of<double>({4}, alpha);
}

void Sac::load(const Tensors& tensors) {
  actor_.load(tensors, "actor");
  for (size_t k = 0; k < 2; ++k) {
    critics_[k].load(tensors, str("critic", k));
    targets_[k].load(tensors, str("target", k));
  }
  const auto alpha = tensors.at("alpha", DType::kFloat64, {4}).as<double>();
  log_alpha_ = alpha[0], alpha_first_ = alpha[1], alpha_second_ = alpha[2];
  updates_ = static_cast<int64_t>(alpha[3]);
}

}  // namespace alps
