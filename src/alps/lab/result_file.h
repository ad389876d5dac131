// A result as a run or a ledger folder holds it, HASH.json of run/results.h, as one row.
#pragma once

#include <filesystem>

#include "alps/lab/ledger_row.h"

namespace alps {

// whether a file has the name of a result: 16 hexadecimal digits and .json
bool is_result_name(const std::filesystem::path& path);

// Reads up to the episodes, which tables do not need. Error for a damaged file.
LedgerRow read_result_file(const std::filesystem::path& path);

}  // namespace alps
