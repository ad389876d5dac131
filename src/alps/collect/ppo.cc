#include "alps/collect/ppo.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "alps/base/error.h"
#include "alps/base/threads.h"
#include "alps/nn/adam.h"

namespace alps {
namespace {

// gradients in half the time where the processor can; acting stays in fp32
Precision precision() { return has_bf16() ? Precision::kBf16 : Precision::kFp32; }

std::vector<size_t> layer_sizes(size_t in, const std::vector<size_t>& hidden, size_t out) {
  std::vector<size_t> sizes = {in};
  sizes.insert(sizes.end(), hidden.begin(), hidden.end());
  sizes.push_back(out);
  return sizes;
}

}  // namespace

PpoRollout::PpoRollout(size_t bodies, size_t steps, size_t observation_size, size_t action_size)
    : bodies(bodies),
      steps(steps),
      observations(bodies * steps * observation_size),
      actions(bodies * steps * action_size),
      means(bodies * steps * action_size),
      log_probs(bodies * steps),
      rewards(bodies * steps),
      ends(bodies * steps) {}

void generalized_advantages(std::span<const float> rewards, std::span<const float> values,
                            std::span<const float> next_values, std::span<const char> ends, double discount,
                            double lambda, std::span<float> out) {
  double ahead = 0;
  for (size_t t = rewards.size(); t-- > 0;) {
    if (ends[t] != PpoRollout::kGoesOn) ahead = 0;
    const double surprise = rewards[t] + discount * next_values[t] - values[t];
    ahead = surprise + discount * lambda * ahead;
    out[t] = static_cast<float>(ahead);
  }
}

struct Ppo::Batch {
  std::vector<float> advantages, returns;  // returns normalized
  GaussianPolicy policy;                   // that acted; for its scales
  double divergence = 0, counted = 0;      // sums over the samples as they are, of an epoch
};

Ppo::Ppo(size_t observation_size, size_t action_size, MirrorMap observations, MirrorMap actions,
         const PpoParams& params, Rng rng)
    : observation_size_(observation_size),
      action_size_(action_size),
      observation_mirror_(std::move(observations)),
      action_mirror_(std::move(actions)),
      params_(params),
      log_sigma_(action_size, static_cast<float>(std::log(params.sigma))),
      sigma_first_(action_size),
      sigma_second_(action_size),
      lr_(params.lr),
      seen_(observation_size),
      returns_(1) {
  actor_ = TrainedMlp(layer_sizes(observation_size, params.hidden, action_size), rng);
  critic_ = TrainedMlp(layer_sizes(observation_size, params.hidden, 1), rng);
  actor_.scale_output(static_cast<float>(params.output_scale));
}

GaussianPolicy Ppo::policy() const { return {actor_.mlp(), seen_, log_sigma_}; }

void Ppo::values(std::span<const float> observations, std::span<float> out, int threads) const {
  GaussianPolicy(critic_.mlp(), seen_, {}).means(observations, out, threads);
  const double sigma = std::sqrt(returns_.variance[0] + 1e-8);
  for (float& v : out) v = static_cast<float>(v * sigma + returns_.mean[0]);
}

// advantages, and the returns that the critic should have known
void Ppo::judge(const PpoRollout& rollout, Batch& batch, PpoStats& stats, int threads) {
  const size_t rows = rollout.rows();
  std::vector<float> here(rows), next(rows), cut(rollout.after.size()), cut_seen;
  values(rollout.observations, here, threads);
  for (const auto& [row, seen] : rollout.after) cut_seen.insert(cut_seen.end(), seen.begin(), seen.end());
  values(cut_seen, cut, threads);
  for (size_t r = 0; r < rows; ++r)
    if (rollout.ends[r] == PpoRollout::kGoesOn && (r + 1) % rollout.steps != 0) next[r] = here[r + 1];
  for (size_t k = 0; k < cut.size(); ++k) next[rollout.after[k].first] = cut[k];
  batch.advantages.resize(rows);
  for (size_t b = 0; b < rollout.bodies; ++b) {
    const auto part = [&](const auto& list) { return std::span(list).subspan(b * rollout.steps, rollout.steps); };
    generalized_advantages(part(rollout.rewards), part(here), part(next), part(rollout.ends), params_.discount,
                           params_.lambda, std::span(batch.advantages).subspan(b * rollout.steps, rollout.steps));
  }

  batch.returns.resize(rows);
  for (size_t r = 0; r < rows; ++r) batch.returns[r] = batch.advantages[r] + here[r];
  double mean = 0, square = 0, return_mean = 0, return_square = 0;
  const double n = static_cast<double>(rows);
  for (size_t r = 0; r < rows; ++r) {
    mean += batch.advantages[r] / n, square += batch.advantages[r] * batch.advantages[r] / n;
    return_mean += batch.returns[r] / n, return_square += batch.returns[r] * batch.returns[r] / n;
  }
  const double deviation = std::sqrt(std::max(square - mean * mean, 0.0));
  stats.explained = 1 - (square - mean * mean) / std::max(return_square - return_mean * return_mean, 1e-12);
  for (float& a : batch.advantages) a = static_cast<float>((a - mean) / (deviation + 1e-6));

  returns_.add(batch.returns, 2e6);
  const double scale = 1 / std::sqrt(returns_.variance[0] + 1e-8);
  for (float& v : batch.returns) v = static_cast<float>((v - returns_.mean[0]) * scale);
}

PpoStats Ppo::update(const PpoRollout& rollout, Rng rng, int threads) {
  PpoStats stats;
  Batch batch;
  batch.policy = policy();
  judge(rollout, batch, stats, threads);

  std::vector<size_t> order(rollout.rows());
  std::iota(order.begin(), order.end(), size_t{0});
  const size_t size = std::min(params_.minibatch, order.size()), count = order.size() / size;
  double updates = 0;
  for (int epoch = 0; epoch < params_.epochs; ++epoch) {
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
    batch.divergence = batch.counted = 0;
    for (size_t m = 0; m < count; ++m, ++updates)
      minibatch(rollout, batch, std::span(order).subspan(m * size, size), rng.fork(epoch * 1000 + m), threads, stats);
    stats.divergence = batch.divergence / std::max(batch.counted, 1.0);
    stats.epochs = epoch + 1;
    if (stats.divergence > 3 * params_.divergence) break;
  }
  if (stats.divergence > 2 * params_.divergence) lr_ = std::max(lr_ / 1.5, params_.lr_least);
  if (stats.divergence < params_.divergence / 2) lr_ = std::min(lr_ * 1.5, params_.lr_most);
  seen_.add(rollout.observations);
  for (double* sum : {&stats.policy_loss, &stats.value_loss, &stats.clipped}) *sum /= updates;
  stats.lr = lr_;
  for (const float s : log_sigma_) stats.sigma += std::exp(s) / static_cast<double>(action_size_);
  return stats;
}

void Ppo::minibatch(const PpoRollout& rollout, Batch& batch, std::span<const size_t> rows, Rng rng, int threads,
                    PpoStats& stats) {
  const size_t n = rows.size();
  std::vector<char> mirrored(n);
  if (params_.mirror)
    for (char& m : mirrored) m = rng.next() >> 63;

  // both networks see the same rows
  std::vector<float> in(n * observation_size_), seen(observation_size_);
  for (size_t i = 0; i < n; ++i) {
    std::span<const float> from =
        std::span(rollout.observations).subspan(rows[i] * observation_size_, observation_size_);
    if (mirrored[i]) {
      observation_mirror_.apply(from, seen);
      from = seen;
    }
    batch.policy.normalize(from, &in[i * observation_size_]);
  }
  std::vector<double> sigma_slope;
  double value_loss = 0;
  parallel_for(2, threads, [&](size_t network) {
    if (network == 0) {
      std::copy(in.begin(), in.end(), actor_.start(n, 1, precision()));
      std::vector<float> means(n * action_size_), gradient(n * action_size_);
      actor_.forward(means.data());
      sigma_slope = policy_gradient(rollout, batch, rows, mirrored, means, gradient, stats);
      actor_.backward(gradient.data(), nullptr);
      actor_.adam(lr_, params_.longest_gradient);
    } else {
      std::copy(in.begin(), in.end(), critic_.start(n, 1, precision()));
      std::vector<float> values(n), gradient(n);
      critic_.forward(values.data());
      for (size_t i = 0; i < n; ++i) {
        const float error = values[i] - batch.returns[rows[i]];
        gradient[i] = 2 * error / static_cast<float>(n);
        value_loss += error * error / static_cast<double>(n);
      }
      critic_.backward(gradient.data(), nullptr);
      critic_.adam(lr_, params_.longest_gradient);
    }
  });
  stats.value_loss += value_loss;
  move_log_sigma(sigma_slope);
}

// of the means, (rows, actions), into `gradient`; returns that of log sigma
std::vector<double> Ppo::policy_gradient(const PpoRollout& rollout, Batch& batch, std::span<const size_t> rows,
                                         const std::vector<char>& mirrored, const std::vector<float>& means,
                                         std::vector<float>& gradient, PpoStats& stats) {
  const size_t size = action_size_, n = rows.size();
  std::vector<double> slope(size, -params_.entropy);
  std::vector<float> reflected(size);
  for (size_t i = 0; i < n; ++i) {
    std::span<const float> action = std::span(rollout.actions).subspan(rows[i] * size, size);
    const std::span<const float> mean = std::span(means).subspan(i * size, size);
    if (mirrored[i]) {
      action_mirror_.apply(action, reflected);
      action = reflected;
    } else {
      batch.divergence += divergence(std::span(rollout.means).subspan(rows[i] * size, size), mean, rollout.log_sigma);
      ++batch.counted;
    }
    const double ratio = std::exp(std::min(log_density(action, mean, log_sigma_) - rollout.log_probs[rows[i]], 20.0));
    const double advantage = batch.advantages[rows[i]];
    const double kept = std::clamp(ratio, 1 - params_.clip, 1 + params_.clip);
    stats.policy_loss -= std::min(ratio * advantage, kept * advantage) / static_cast<double>(n);
    stats.clipped += (ratio != kept) / static_cast<double>(n);

    // beyond the clip nothing is to be won
    if (advantage >= 0 ? ratio > 1 + params_.clip : ratio < 1 - params_.clip) continue;
    const double weight = -ratio * advantage / static_cast<double>(n);
    for (size_t j = 0; j < size; ++j) {
      const double sigma = std::exp(log_sigma_[j]), z = (action[j] - mean[j]) / sigma;
      gradient[i * size + j] = static_cast<float>(weight * z / sigma);
      slope[j] += weight * (z * z - 1);
    }
  }
  return slope;
}

// of the Gaussian with the old means and deviations from the present one
double Ppo::divergence(std::span<const float> old_mean, std::span<const float> mean,
                       std::span<const float> old_log_sigma) const {
  double sum = 0;
  for (size_t j = 0; j < action_size_; ++j) {
    const double before = std::exp(old_log_sigma[j]), now = std::exp(log_sigma_[j]), d = mean[j] - old_mean[j];
    sum += log_sigma_[j] - old_log_sigma[j] + (before * before + d * d) / (2 * now * now) - 0.5;
  }
  return sum;
}

void Ppo::move_log_sigma(const std::vector<double>& slope) {
  const std::vector<float> gradient(slope.begin(), slope.end());
  const AdamScale step(lr_, static_cast<double>(++updates_));
  adam_step(log_sigma_.data(), sigma_first_.data(), sigma_second_.data(), gradient.data(), gradient.size(), step.rate,
            step.scale);
  for (float& s : log_sigma_)
    s = std::clamp(s, static_cast<float>(std::log(params_.sigma_least)),
                   static_cast<float>(std::log(params_.sigma_most)));
}

void Ppo::store(Tensors& tensors) const {
  actor_.store(tensors, "actor");
  critic_.store(tensors, "critic");
  for (const auto& [list, name] :
       {std::pair(&log_sigma_, "sigma.values"), {&sigma_first_, "sigma.first"}, {&sigma_second_, "sigma.second"}})
    tensors.arrays[name] = Array::of<float>({list->size()}, *list);
  const double numbers[] = {lr_, static_cast<double>(updates_)};
  tensors.arrays["ppo"] = Array::of<double>({2}, numbers);
  seen_.store(tensors, "seen");
  returns_.store(tensors, "returns");
}

void Ppo::load(const Tensors& tensors) {
  actor_.load(tensors, "actor");
  critic_.load(tensors, "critic");
  for (const auto& [list, name] :
       {std::pair(&log_sigma_, "sigma.values"), {&sigma_first_, "sigma.first"}, {&sigma_second_, "sigma.second"}}) {
    const auto kept = tensors.at(name, DType::kFloat32, {list->size()}).as<float>();
    list->assign(kept.begin(), kept.end());
  }
  const auto numbers = tensors.at("ppo", DType::kFloat64, {2}).as<double>();
  lr_ = numbers[0], updates_ = static_cast<int64_t>(numbers[1]);
  seen_.load(tensors, "seen");
  returns_.load(tensors, "returns");
}

}  // namespace alps
