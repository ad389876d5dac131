// Which rows of the ledger a table takes: conditions such as data_set=antmaze*, variant=alps|cem, set= (nothing set),
// backend!=ogbench. All of them must hold. The word `default` stands for what was evaluated without further wishes:
// train_set=, set=, asked=, backend=native.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "alps/lab/ledger_row.h"

namespace alps {

struct Condition {
  std::string column;
  std::vector<std::string> patterns;  // one of them must match; * stands for any text
  bool negated = false;

  bool holds(const std::string& cell) const;
};

// The conditions of a list such as "data_set=antmaze*,variant=alps|cem,default". UsageError for what is none.
std::vector<Condition> parse_conditions(const std::string& list);

bool all_hold(const std::vector<Condition>& conditions, const LedgerRow& row);

bool matches(std::string_view pattern, std::string_view text);  // * is any text, everything else itself

// The order that people expect: numbers by size, variants from less to more of the planner, everything else by
// alphabet.
bool in_reading_order(const std::string& a, const std::string& b);

}  // namespace alps
