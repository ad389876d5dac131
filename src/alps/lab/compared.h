// What the paper measured beside what was measured here: cell by cell for one table or figure. A cell stands for a data
// set, a method or variant, a number of clusters, settings and a task; the paper's figures come from published.csv,
// ours from results, and cells that nobody has measured yet, or that cannot be, stay there and say so.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "alps/eval/statistics.h"
#include "alps/lab/exhibit.h"
#include "alps/lab/ledger_row.h"
#include "alps/lab/published.h"
#include "alps/lab/sweep.h"

namespace alps {

struct Cell {
  std::string data_set, method, variant;
  int clusters = 0;     // 0: those of the run
  std::string setting;  // "eigenvectors=8"; several are joined by spaces
  int task = 0;         // 0: all of them together

  std::string field(const std::string& name) const;  // of rows and columns: "data_set", "task", ...
  auto operator<=>(const Cell&) const = default;
};

// the results of one cell that were made in one way
struct Ours {
  std::string how;  // "fast", "paper, 30,000 steps", "protocol of the paper"
  size_t successes = 0, episodes = 0;
  std::map<std::pair<uint64_t, std::string>, std::pair<size_t, size_t>> runs;  // of each training
  size_t seeds = 0;                                                            // of training
  std::vector<LedgerRow> rows;                                                 // that were counted

  double success() const { return 100.0 * static_cast<double>(successes) / static_cast<double>(episodes); }
  Interval interval() const;                // Wilson, 95 %, in per cent
  std::optional<double> deviation() const;  // of the trainings' success, in per cent; none for one training
};

struct Compared {
  Cell cell;
  std::optional<PublishedFigure> paper;
  std::vector<Ours> ours;  // in the way that the table asks for first
  bool planned = false;    // whether the table's runs give it
  std::string missing;     // why it cannot be measured here; empty: it can

  const Ours* first() const { return ours.empty() ? nullptr : &ours.front(); }
  std::optional<double> difference() const;  // ours minus the paper's, in points
};

// Data that are not the usual ones count as settings of training, so that their results are nobody else's.
std::vector<std::string> other_data(uint64_t data_seed,
                                    int data_episodes);  // "data_episodes=100"; empty: the usual ones

// In the order of published.csv, then of the sweep.
std::vector<Compared> compare(const Exhibit& exhibit, const Sweep& sweep, const std::vector<PublishedFigure>& published,
                              const std::vector<LedgerRow>& ledger);

}  // namespace alps
