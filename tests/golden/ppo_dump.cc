// ppo_dump OUT: one update of a small PPO (two epochs, one minibatch each), with all that it needs and all that it
// changes, for test_ppo.py.
#include <cmath>
#include <cstdio>
#include <numeric>

#include "alps/collect/ppo.h"

using namespace alps;

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: ppo_dump OUT\n"), 2;
  constexpr size_t kBodies = 5, kSteps = 8, kRows = kBodies * kSteps, kObservation = 4, kAction = 3;
  const MirrorMap seen{.from = {1, 0, 2, 3}, .sign = {1, 1, -1, 1}}, done{.from = {2, 1, 0}, .sign = {1, -1, 1}};
  Ppo ppo(kObservation, kAction, seen, done,
          {.hidden = {12, 8},
           .minibatch = kRows,
           .epochs = 2,
           .lr = 1e-2,
           .divergence = 100,
           .longest_gradient = 0.4,
           .entropy = 0.01,
           .output_scale = 1},
          Rng(1));
  Tensors out;
  const auto keep = [&](const std::string& prefix) {
    Tensors now;
    ppo.store(now);
    for (auto& [name, array] : now.arrays) out.arrays[prefix + "." + name] = std::move(array);
  };
  keep("start");

  Rng rng(2);
  PpoRollout r(kBodies, kSteps, kObservation, kAction);
  for (float& v : r.observations) v = static_cast<float>(rng.normal());
  const GaussianPolicy policy = ppo.policy();
  r.log_sigma = policy.log_sigma;
  policy.means(r.observations, r.means);
  // old probabilities that are a little off, so that some ratios are clipped
  for (size_t i = 0; i < r.actions.size(); ++i)
    r.actions[i] = r.means[i] + std::exp(r.log_sigma[0]) * static_cast<float>(rng.normal());
  for (size_t i = 0; i < kRows; ++i)
    r.log_probs[i] = static_cast<float>(log_density(std::span(r.actions).subspan(i * kAction, kAction),
                                                    std::span(r.means).subspan(i * kAction, kAction), r.log_sigma) +
                                        0.1 * rng.normal());
  for (float& v : r.rewards) v = static_cast<float>(rng.normal());
  for (size_t i = 0; i < kRows; ++i)
    r.ends[i] = i % 11 == 3 ? PpoRollout::kTerminated : i % 13 == 5 ? PpoRollout::kCut : PpoRollout::kGoesOn;
  std::vector<float> after(kRows * kObservation);
  for (size_t i = 0; i < kRows; ++i) {
    if (r.ends[i] == PpoRollout::kTerminated || (r.ends[i] == PpoRollout::kGoesOn && (i + 1) % kSteps != 0)) continue;
    std::vector<float> seen_then(kObservation);
    for (float& v : seen_then) v = static_cast<float>(rng.normal());
    std::copy(seen_then.begin(), seen_then.end(), &after[i * kObservation]);
    r.after.emplace_back(i, seen_then);
  }

  // the order and the reflections that the update will draw
  Rng stream(3);
  std::vector<size_t> order(kRows);
  std::iota(order.begin(), order.end(), size_t{0});
  for (const int epoch : {0, 1}) {
    for (size_t i = kRows; i > 1; --i) std::swap(order[i - 1], order[stream.below(i)]);
    Rng coins = stream.fork(static_cast<uint64_t>(epoch) * 1000);
    std::vector<float> mirrored(kRows);
    for (const size_t row : order) mirrored[row] = static_cast<float>(coins.next() >> 63);
    out.arrays[str("mirrored", epoch)] = Array::of<float>({kRows}, mirrored);
  }
  const std::vector<float> ends(r.ends.begin(), r.ends.end());
  out.arrays["observations"] = Array::of<float>({kRows, kObservation}, r.observations);
  out.arrays["actions"] = Array::of<float>({kRows, kAction}, r.actions);
  out.arrays["log_probs"] = Array::of<float>({kRows}, r.log_probs);
  out.arrays["rewards"] = Array::of<float>({kRows}, r.rewards);
  out.arrays["ends"] = Array::of<float>({kRows}, ends);
  out.arrays["after"] = Array::of<float>({kRows, kObservation}, after);
  const PpoStats stats = ppo.update(r, Rng(3), 2);
  const double losses[] = {stats.policy_loss, stats.value_loss, stats.clipped};
  out.arrays["losses"] = Array::of<double>({3}, losses);
  keep("after");
  write_safetensors(argv[1], out);
}
