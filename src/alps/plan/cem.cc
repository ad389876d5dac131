#include "alps/plan/cem.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "alps/base/error.h"

namespace alps {
namespace {

// plan + deviation * noise, where the noise is a first-order filter of white noise that keeps unit variance
void sample_sequence(const CemParams& params, std::span<const float> plan, std::span<const float> deviation,
                     size_t action_size, double limit, Rng& rng, float* out) {
  const double keep = params.noise_beta, fresh = std::sqrt(1 - keep * keep);
  for (size_t a = 0; a < action_size; ++a) {
    double noise = rng.normal();
    for (int t = 0; t < params.horizon; ++t) {
      if (t > 0) noise = keep * noise + fresh * rng.normal();
      const size_t i = t * action_size + a;
      out[i] = static_cast<float>(std::clamp(plan[i] + deviation[i] * noise, -limit, limit));
    }
  }
}

}  // namespace

CemResult cem(const CemParams& params, std::vector<float> plan, size_t action_size, double action_limit,
              const CemCost& cost, Rng& rng, Deadline deadline) {
  const size_t size = params.horizon * action_size, samples = params.samples;
  const size_t elites = std::clamp<size_t>(std::llround(params.elite_ratio * samples), 1, samples);
  ALPS_CHECK(plan.size() == size && samples > 0);
  CemResult result{.plan = std::move(plan)};
  std::vector<float> deviation(size, static_cast<float>(params.sigma * action_limit));
  const float floor = static_cast<float>(params.sigma_floor * params.sigma * action_limit);
  std::vector<float> actions(samples * size), costs(samples);
  std::vector<int> order(samples);

  for (; result.iterations < params.iterations; ++result.iterations) {
    // candidates: the mean, and samples around it
    for (size_t i = 0; i < size; ++i)
      actions[i] = static_cast<float>(std::clamp<double>(result.plan[i], -action_limit, action_limit));
    for (size_t s = 1; s < samples; ++s)
      sample_sequence(params, result.plan, deviation, action_size, action_limit, rng, &actions[s * size]);
    cost(actions, costs);

    // a cost that is not a number is worse than any that is
    for (float& c : costs) c = std::isnan(c) ? std::numeric_limits<float>::max() : c;
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + elites, order.end(),
                      [&](int a, int b) { return std::pair(costs[a], a) < std::pair(costs[b], b); });

    // mean and deviation of the elites
    double elite_cost = 0;
    for (size_t e = 0; e < elites; ++e) elite_cost += costs[order[e]] / elites;
    for (size_t i = 0; i < size; ++i) {
      double sum = 0, squares = 0;
      for (size_t e = 0; e < elites; ++e) {
        const double x = actions[order[e] * size + i];
        sum += x;
        squares += x * x;
      }
      const double mean = sum / elites, variance = std::max(0.0, squares / elites - mean * mean);
      result.plan[i] = static_cast<float>(params.momentum * result.plan[i] + (1 - params.momentum) * mean);
      deviation[i] = std::max(floor, static_cast<float>(std::sqrt(variance)));
    }
    result.best_costs.push_back(costs[order[0]]);
    result.elite_costs.push_back(static_cast<float>(elite_cost));
    if (std::chrono::steady_clock::now() >= deadline) {
      ++result.iterations;
      break;
    }
  }
  return result;
}

}  // namespace alps
