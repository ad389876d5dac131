// The ledger: all results that lie in some folders, as rows. A folder may be a ledger (HASH.json beside HASH.json), a
// run, a lab with many runs, or anything that holds such folders; CSV ledgers of earlier versions are read too. Nothing
// is kept beside the files: the folder is the truth, and removing a file removes its row.
//
// The same HASH met twice counts once, the newest. Tables go one step further (`newest_of_each_question`): of results
// that answer the same question with the same seeds, but by another version, from retrained weights or with another
// number of episodes, the newest counts, so that no run is counted twice.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "alps/lab/ledger_row.h"

namespace alps {

struct LedgerOptions {
  bool skip_damaged = false;  // leave damaged files out, and name them in `damaged`; else they are an Error
  int threads = 0;            // 0: all cores
};

struct Ledger {
  std::vector<LedgerRow> rows;       // the oldest first
  std::vector<std::string> damaged;  // what was wrong with files that were left out
};

// In a folder: HASH.json of the folder itself and of folders below it that are called `results` or `ledger`, and CSV
// files with the columns of a ledger. Files called *-earlier.csv hold what later settings have replaced; they are read
// only when they are named themselves. Error for a path that is not there.
Ledger read_ledger(std::span<const std::filesystem::path> paths, const LedgerOptions& options = {});

std::vector<LedgerRow> newest_of_each_question(std::vector<LedgerRow> rows);

}  // namespace alps
