#include "alps/run/trust.h"

#include <algorithm>

#include "alps/run/stretches.h"

namespace alps {

std::vector<double> measure_trust(const Model& model, const Dataset& data, int threads) {
  constexpr size_t kStarts = 4000, kLongest = 10, kAhead = 25;  // the prior is asked for states so many steps ahead
  std::vector<double> trust;
  if (model.model.empty() || model.prior.empty()) return trust;
  size_t longest = 0;
  for (const Episode& e : data.episodes) longest = std::max(longest, e.last - e.first);
  const size_t ahead = std::min(kAhead, longest), steps = std::min(kLongest, longest);
  const std::vector<size_t> rows = starts_with(data, ahead, kStarts);
  if (rows.empty()) return trust;

  const size_t n = rows.size(), z = model.eigenvectors();
  std::vector<float> taken = states_of(model, data, rows, threads), proposed = taken, wished(n * model.action_size());
  std::vector<float> goal(n * z), psi_taken(n * z), psi_proposed(n * z), psi_true(n * z);
  model.psi(states_of(model, data, later(rows, ahead), threads), goal, threads);
  model.psi(proposed, psi_proposed, threads);
  for (size_t t = 0; t < steps; ++t) {
    // what the behaviour did, and what the prior would have done
    model.step(taken, actions_of(model, data, rows, t), taken, threads);
    model.act(proposed, psi_proposed, goal, wished, threads);
    for (float& a : wished) a = std::clamp(a, -1.0f, 1.0f);
    model.step(proposed, wished, proposed, threads);
    model.psi(taken, psi_taken, threads);
    model.psi(proposed, psi_proposed, threads);
    model.psi(states_of(model, data, later(rows, t + 1), threads), psi_true, threads);

    double along = 0, change = 0;
    for (size_t i = 0; i < n * z; ++i) {
      const double imagined = psi_taken[i] - psi_proposed[i];
      along += (psi_true[i] - psi_proposed[i]) * imagined;
      change += imagined * imagined;
    }
    trust.push_back(change > 0 ? along / change : 0);
  }
  return trust;
}

}  // namespace alps
