// CSV ledgers: those of `alps eval --results`, and those that earlier versions and the scripts of bench/ have written,
// which have fewer columns. What a row has no column for is taken from its command, or is what it was then: method
// alps, preset fast, the native environments.
#pragma once

#include <filesystem>
#include <vector>

#include "alps/lab/ledger_row.h"

namespace alps {

bool is_csv_ledger(const std::filesystem::path& path);  // by its columns

// Error that names the row where a number is missing or makes no sense
std::vector<LedgerRow> read_csv_ledger(const std::filesystem::path& path);

}  // namespace alps
