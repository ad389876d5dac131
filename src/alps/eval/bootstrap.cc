#include "alps/eval/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "alps/base/error.h"
#include "alps/base/threads.h"

namespace alps {
namespace {

void check(const Scores& scores) {
  ALPS_CHECK(!scores.empty());
  for (const auto& runs : scores) ALPS_CHECK(!runs.empty());
}

Scores resampled(const Scores& scores, Rng& rng) {
  Scores drawn(scores.size());
  for (size_t d = 0; d < scores.size(); ++d)
    for (size_t i = 0; i < scores[d].size(); ++i) drawn[d].push_back(rng.pick(std::span(scores[d])));
  return drawn;
}

// the value at a share of the way through sorted values, on the line between its neighbours
double percentile(std::span<const double> sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const size_t low = static_cast<size_t>(at), high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

Interval interval_of(std::vector<double>& values, double level) {
  std::ranges::sort(values);
  return {percentile(values, (1 - level) / 2), percentile(values, (1 + level) / 2)};
}

// the share of all runs that score higher than each tau
std::vector<double> shares_above(const Scores& scores, std::span<const double> taus) {
  std::vector<double> all;
  for (const auto& runs : scores) all.insert(all.end(), runs.begin(), runs.end());
  std::ranges::sort(all);
  std::vector<double> shares;
  for (const double tau : taus)
    shares.push_back(static_cast<double>(all.end() - std::ranges::upper_bound(all, tau)) /
                     static_cast<double>(all.size()));
  return shares;
}

}  // namespace

double mean_score(const Scores& scores) {
  double sum = 0;
  for (const auto& runs : scores)
    sum += std::accumulate(runs.begin(), runs.end(), 0.0) / static_cast<double>(runs.size());
  return sum / static_cast<double>(scores.size());
}

double interquartile_mean(const Scores& scores) {
  std::vector<double> all;
  for (const auto& runs : scores) all.insert(all.end(), runs.begin(), runs.end());
  std::ranges::sort(all);
  const size_t cut = all.size() / 4;  // whole runs are left out
  return std::accumulate(all.begin() + static_cast<std::ptrdiff_t>(cut), all.end() - static_cast<std::ptrdiff_t>(cut),
                         0.0) /
         static_cast<double>(all.size() - 2 * cut);
}

double improvement_probability(const Scores& x, const Scores& y) {
  ALPS_CHECK(x.size() == y.size());
  double sum = 0;
  for (size_t d = 0; d < x.size(); ++d) {
    double wins = 0;
    for (const double a : x[d])
      for (const double b : y[d]) wins += a > b ? 1 : a == b ? 0.5 : 0;
    sum += wins / static_cast<double>(x[d].size() * y[d].size());
  }
  return sum / static_cast<double>(x.size());
}

Estimate bootstrap(const Scores& scores, const std::function<double(const Scores&)>& statistic, const Rng& rng,
                   const BootstrapParams& params) {
  check(scores);
  std::vector<double> values(static_cast<size_t>(params.resamples));
  parallel_for(values.size(), params.threads, [&](size_t i) {
    Rng own = rng.fork(i);
    values[i] = statistic(resampled(scores, own));
  });
  return {statistic(scores), interval_of(values, params.level)};
}

Estimate bootstrap_improvement(const Scores& x, const Scores& y, const Rng& rng, const BootstrapParams& params) {
  check(x);
  check(y);
  std::vector<double> values(static_cast<size_t>(params.resamples));
  parallel_for(values.size(), params.threads, [&](size_t i) {
    Rng own = rng.fork(i);
    const Scores one = resampled(x, own);
    values[i] = improvement_probability(one, resampled(y, own));
  });
  return {improvement_probability(x, y), interval_of(values, params.level)};
}

std::vector<Estimate> performance_profile(const Scores& scores, std::span<const double> taus, const Rng& rng,
                                          const BootstrapParams& params) {
  check(scores);
  std::vector<std::vector<double>> shares(static_cast<size_t>(params.resamples));
  parallel_for(shares.size(), params.threads, [&](size_t i) {
    Rng own = rng.fork(i);
    shares[i] = shares_above(resampled(scores, own), taus);
  });
  const std::vector<double> own = shares_above(scores, taus);
  std::vector<Estimate> profile;
  for (size_t t = 0; t < taus.size(); ++t) {
    std::vector<double> values;
    for (const auto& one : shares) values.push_back(one[t]);
    profile.push_back({own[t], interval_of(values, params.level)});
  }
  return profile;
}

}  // namespace alps
