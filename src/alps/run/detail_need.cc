#include "alps/run/detail_need.h"

#include "alps/run/small_model.h"
#include "alps/run/stretches.h"

namespace alps {

double action_share(const Model& model, const Dataset& data, int threads) {
  constexpr size_t kSteps = 6000, kFeatures = 192, kFold = 5;  // every fifth step is judged
  const std::vector<size_t> rows = starts_with(data, 1, kSteps);
  const size_t n = rows.size(), z = model.eigenvectors(), a = model.action_size();
  if (n < 4 * (2 * z + kFeatures)) return -1;
  std::vector<float> here(n * z), next(n * z);
  model.psi(states_of(model, data, rows, threads), here, threads);
  model.psi(states_of(model, data, later(rows, 1), threads), next, threads);
  const std::vector<float> taken = actions_of(model, data, rows, 0);

  Table inputs[2], actions[2];
  for (int t = 0; t < 2; ++t) {
    inputs[t].columns = 2 * z;
    actions[t].columns = a;
  }
  for (size_t i = 0; i < n; ++i) {
    const int t = i % kFold == kFold - 1 ? 1 : 0;
    for (size_t k = 0; k < z; ++k) inputs[t].values.push_back(here[i * z + k]);
    for (size_t k = 0; k < z; ++k) inputs[t].values.push_back(static_cast<double>(next[i * z + k]) - here[i * z + k]);
    for (size_t k = 0; k < a; ++k) actions[t].values.push_back(taken[i * a + k]);
  }
  normalize(actions[0], actions[1]);
  double share = 0;
  for (const double left : unexplained(inputs[0], inputs[1], actions[0], actions[1], kFeatures))
    share += (1 - left) / static_cast<double>(a);
  return share;
}

}  // namespace alps
