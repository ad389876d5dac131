// The results of one cell of a table together, and how the cell tells them: "99 (95-100), 231 steps, 3.4 ms".
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "alps/lab/ledger_row.h"

namespace alps {

struct Pool {
  int successes = 0, episodes = 0;
  std::set<uint64_t> seeds;  // of training
  double step_sum = 0;       // of successful episodes
  double ms_sum = 0;         // of decisions, weighted by episodes
  int ms_episodes = 0;       // whose decisions were timed

  void add(const LedgerRow& row);
  double success() const { return 100.0 * successes / episodes; }
  double mean_steps() const { return step_sum / successes; }
  double decision_ms() const { return ms_sum / ms_episodes; }

  // some of success, steps, ms; units only where there are several; "-" where nothing is known
  std::string text(const std::vector<std::string>& values) const;
  std::string count_text() const;  // "150 (3 seeds)"
};

std::string rate_text(int successes, int episodes);  // "99 (95-100)": per cent and Wilson's 95 % interval
std::string fixed_text(double value, int decimals);

}  // namespace alps
