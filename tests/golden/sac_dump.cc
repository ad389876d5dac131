// sac_dump OUT: two updates of a small SAC, with all that they need and all that they change, for test_sac.py.
#include <cstdio>

#include "alps/collect/sac.h"

using namespace alps;

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: sac_dump OUT\n"), 2;
  constexpr size_t kRows = 37, kObservation = 5, kAction = 3;
  Sac sac(kObservation, kAction, {.hidden = 24, .lr = 1e-3, .discount = 0.9, .tau = 0.05}, Rng(1));
  Tensors out;
  const auto keep = [&](const std::string& prefix) {
    Tensors now;
    sac.store(now);
    for (auto& [name, array] : now.arrays) out.arrays[prefix + "." + name] = std::move(array);
  };
  const auto put = [&](const std::string& name, size_t columns, const std::vector<float>& values) {
    out.arrays[name] = Array::of<float>({kRows, columns}, values);
  };
  keep("start");
  for (const uint64_t step : {1, 2}) {
    // transitions, some of them final
    Rng rng(10 + step);
    SacBatch batch;
    const auto fill = [&](std::vector<float>& values, size_t columns) {
      for (size_t i = 0; i < kRows * columns; ++i) values.push_back(static_cast<float>(rng.normal()));
    };
    fill(batch.observations, kObservation);
    fill(batch.actions, kAction);
    fill(batch.rewards, 1);
    fill(batch.next_observations, kObservation);
    for (size_t i = 0; i < kRows; ++i) batch.masks.push_back(i % 5 == 0 ? 0.0f : 1.0f);
    const std::string at = str(step);
    put("observations" + at, kObservation, batch.observations);
    put("actions" + at, kAction, batch.actions);
    put("rewards" + at, 1, batch.rewards);
    put("next" + at, kObservation, batch.next_observations);
    put("masks" + at, 1, batch.masks);

    // the noise that the update will draw
    const Rng noise(20 + step);
    for (const uint64_t k : {0, 1}) {
      Rng stream = noise.fork(k);
      std::vector<float> values(kRows * kAction);
      for (float& v : values) v = static_cast<float>(stream.normal());
      put(str("noise", k, "_", step), kAction, values);
    }
    const SacStats stats = sac.update(batch, noise, 2);
    const double losses[] = {stats.critic_loss, stats.actor_loss, stats.entropy};
    out.arrays["losses" + at] = Array::of<double>({3}, losses);
    keep("after" + at);
  }
  write_safetensors(argv[1], out);
}
