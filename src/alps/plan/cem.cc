#include "alps/plan/cem.h"

#include <algorithm>
#include <cmath>

#include "alps/base/error.h"
#include "alps/base/threads.h"

namespace alps {
namespace {

// plan + deviation * noise, where the noise is a first-order filter of white noise that keeps unit variance
void sample_sequence(const CemParams& params, std::span<const float> plan, std::span<const float> deviation,
                     size_t action_size, Rng& rng, float* out) {
  const double keep = params.noise_beta, fresh = std::sqrt(1 - keep * keep);
  for (size_t a = 0; a < action_size; ++a) {
    double noise = rng.normal();
    for (int t = 0; t < params.horizon; ++t) {
      if (t > 0) noise = keep * noise + fresh * rng.normal();
      const size_t i = t * action_size + a;
      out[i] = static_cast<float>(std::clamp(plan[i] + deviation[i] * noise, -1.0, 1.0));
    }
  }
}

// the elites move behind the samples, where the next iteration finds them
void keep(const std::vector<int>& order, size_t elites, size_t size, size_t samples, std::vector<float>& actions,
          std::vector<float>& costs) {
  const size_t room = costs.size() - samples;
  thread_local std::vector<float> best, best_costs;
  best.clear();
  best_costs.clear();
  for (size_t e = 0; e < std::min(elites, room); ++e) {
    best.insert(best.end(), actions.begin() + order[e] * size, actions.begin() + (order[e] + 1) * size);
    best_costs.push_back(costs[order[e]]);
  }
  std::copy(best.begin(), best.end(), actions.begin() + samples * size);
  std::copy(best_costs.begin(), best_costs.end(), costs.begin() + samples);
}

// the elites, and of the others those that were drawn first
CemShown show(std::vector<int> order, size_t elites, size_t count, size_t size, const std::vector<float>& actions,
              const std::vector<float>& costs) {
  std::sort(order.begin() + elites, order.end());
  CemShown shown{.elites = std::min(elites, count), .actions = {}, .costs = {}};
  for (size_t i = 0; i < std::min(count, order.size()); ++i) {
    shown.actions.insert(shown.actions.end(), &actions[order[i] * size], &actions[order[i] * size] + size);
    shown.costs.push_back(costs[order[i]]);
  }
  return shown;
}

}  // namespace

void cem(const CemParams& params, size_t action_size, CemCost cost, Rng& rng, CemResult& result, Deadline deadline,
         int threads) {
  constexpr size_t kBlock = 64;
  const size_t size = params.horizon * action_size, samples = params.samples;
  const auto elites_of = [&](size_t count) {
    return std::clamp<size_t>(std::llround(params.elite_ratio * static_cast<double>(count)), 1, count);
  };
  ALPS_CHECK(result.plan.size() == size && samples > 0);
  result.best_costs.clear();
  result.elite_costs.clear();
  result.shown.clear();
  result.iterations = 0;
  // memory that the thread keeps
  thread_local std::vector<float> own_deviation, own_actions, own_costs;
  thread_local std::vector<int> own_order;
  std::vector<float>&deviation = own_deviation, &actions = own_actions, &costs = own_costs;
  std::vector<int>& order = own_order;
  deviation.assign(size, static_cast<float>(params.sigma));
  const float floor = static_cast<float>(params.sigma_floor * params.sigma);
  // this iteration's samples, then the elites of the last one
  const size_t kept = params.keep_elites ? elites_of(samples) : 0;
  actions.assign((samples + kept) * size, 0.0f);
  costs.assign(samples + kept, std::nanf(""));

  while (result.iterations < params.iterations) {
    // candidates: the mean, and samples around it
    for (size_t i = 0; i < size; ++i) actions[i] = std::clamp(result.plan[i], -1.0f, 1.0f);
    const Rng streams(rng.next());
    parallel_blocks(samples, kBlock, threads, [&](size_t first, size_t last) {
      Rng own = streams.fork(first);
      for (size_t s = std::max<size_t>(first, 1); s < last; ++s)
        sample_sequence(params, result.plan, deviation, action_size, own, &actions[s * size]);
    });
    Needed needed{.best = elites_of(samples)};
    if (kept > 0 && !std::isnan(costs.back())) needed.limit = costs.back();
    cost(std::span(actions).first(samples * size), needed, std::span(costs).first(samples));

    // the cheapest of those that were found
    order.clear();
    for (size_t s = 0; s < costs.size(); ++s)
      if (!std::isnan(costs[s])) order.push_back(static_cast<int>(s));
    if (order.empty()) break;
    const size_t elites = std::min(elites_of(samples), elites_of(order.size()));
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
    if (params.shown > 0) result.shown.push_back(show(order, elites, params.shown, size, actions, costs));
    ++result.iterations;
    // where there was no time for some, there is none to draw others
    const bool late = std::any_of(costs.begin(), costs.begin() + samples, [](float c) { return std::isnan(c); });
    if (late || std::chrono::steady_clock::now() >= deadline) break;
    keep(order, elites, size, samples, actions, costs);
  }
}

}  // namespace alps
