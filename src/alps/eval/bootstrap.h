// How sure are figures that summarize many data sets, from a few runs of each? Stratified bootstrap intervals of the
// mean, the interquartile mean, the probability of improvement and performance profiles, as Agarwal et al. define them
// ("Deep Reinforcement Learning at the Edge of the Statistical Precipice", NeurIPS 2021; their package is rliable).
//
// A resample draws, for each data set by itself, as many runs as it has, with replacement. The interval is that of the
// percentiles of the statistic over resamples. Resample i takes stream i of the generator, so that the same seed gives
// the same interval whatever the number of threads.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "alps/base/rng.h"
#include "alps/eval/statistics.h"

namespace alps {

// of each data set (stratum), the score of each run; data sets may have different numbers of runs, but at least one
using Scores = std::vector<std::vector<double>>;

struct BootstrapParams {
  int resamples = 2000;
  double level = 0.95;  // of the interval
  int threads = 0;      // 0: all cores
};

struct Estimate {
  double value = 0;  // of the scores themselves
  Interval interval;
};

double mean_score(const Scores& scores);          // each data set counts the same
double interquartile_mean(const Scores& scores);  // of all runs' scores, without the highest and the lowest quarter
// the chance that a run of x scores higher than a run of y on the same data set, ties half, averaged over data sets;
// both have the same data sets in the same order
double improvement_probability(const Scores& x, const Scores& y);

Estimate bootstrap(const Scores& scores, const std::function<double(const Scores&)>& statistic, const Rng& rng,
                   const BootstrapParams& params = {});
// x and y are resampled independently
Estimate bootstrap_improvement(const Scores& x, const Scores& y, const Rng& rng, const BootstrapParams& params = {});

// the share of runs (of all data sets) that score higher than tau, for each tau, with bands for each tau by itself
std::vector<Estimate> performance_profile(const Scores& scores, std::span<const double> taus, const Rng& rng,
                                          const BootstrapParams& params = {});

}  // namespace alps
