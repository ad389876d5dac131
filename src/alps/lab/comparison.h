// Is one method better than others, over many data sets? For each of the others: Wilcoxon's test on the data sets that
// both have (Holm's correction over all tests of the table), the probability that a run of the first scores higher, and
// mean and interquartile mean with bootstrap intervals (eval/wilcoxon.h, eval/bootstrap.h). Contestants are columns of
// a table: measured ones with the score of each training seed, published ones with one figure for each data set.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "alps/eval/bootstrap.h"
#include "alps/eval/wilcoxon.h"
#include "alps/lab/grid.h"
#include "alps/lab/ledger_row.h"
#include "alps/lab/published.h"

namespace alps {

struct Contestant {
  std::string name;
  std::map<std::string, std::vector<double>> scores;  // of each data set, the success of each run in per cent
  bool published = false;                             // one figure for each data set: no runs to resample
};

struct Comparison {
  std::string name;  // of the other one
  size_t data_sets = 0, better = 0, equal = 0, worse = 0;
  Estimate mean, first_mean, iqm, first_iqm;  // on the data sets that both have: of the other, and of the first
  Estimate improvement;                       // the chance that a run of the first scores higher
  SignedRanks test;                           // of the means of each data set
  double p = 1;                               // corrected
};

// Of rows that were chosen for a table; named by `columns`, or, without any, by variant and method.
std::vector<Contestant> measured_contestants(const std::vector<LedgerRow>& rows,
                                             const std::vector<std::string>& columns);
// Of one published table: "hiql, paper". Figures of single tasks are left out.
std::vector<Contestant> published_contestants(const std::vector<PublishedFigure>& figures);

// UsageError where nobody has that name. Contestants that share no data set with the first are left out.
std::vector<Comparison> compare(const std::vector<Contestant>& all, const std::string& first, const Rng& rng,
                                const BootstrapParams& params = {});
Grid comparison_grid(const std::vector<Comparison>& comparisons, const std::string& first);

// Performance profiles over the data sets that all contestants have, with bands where there are several runs. Writes
// SVG or PNG by the file's ending. Error where they share no data set.
void draw_profiles(const std::filesystem::path& path, const std::vector<Contestant>& all, const Rng& rng,
                   const BootstrapParams& params = {});

}  // namespace alps
