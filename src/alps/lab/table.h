// Tables over the ledger: results pooled over seeds, in rows and columns that the user chooses, with published figures
// beside them. A cell is the success rate of all its episodes with Wilson's 95 % interval.
//
//   data set                        best published   alps, paper   alps            episodes
//   pointmaze-medium-navigate-v0    TTGS 92          67            100 (98-100)    150 (3 seeds)
//
// Cells never pool different questions without a word: a note names the columns whose values were mixed.
#pragma once

#include <string>
#include <vector>

#include "alps/lab/filter.h"
#include "alps/lab/grid.h"
#include "alps/lab/ledger_row.h"
#include "alps/lab/published.h"

namespace alps {

struct TableQuery {
  std::vector<Condition> where;
  // Columns of the ledger, or settings that a user gave. Of a column with a list of values, "variant=alps|cem", only
  // those values are shown, in that order. Empty: what was asked, as far as it differs; no columns: one for each value.
  std::vector<std::string> rows, columns;
  std::vector<std::string> values = {"success"};  // of a cell: some of success, steps, ms
  std::string published;                          // a published table whose figures stand beside ours; empty: none
  bool published_columns = false;                 // in columns of their own; else in brackets
  bool best = false;                              // the highest published figure of each data set
  bool counts = false;                            // how many episodes and seeds
  bool complete = false;                          // only rows in which every column was measured
  bool list = false;  // a line for each cell, with episodes, interval and so on in columns of their own: for programs
};

// UsageError for a column or value that there is not.
Grid pivot_table(const std::vector<LedgerRow>& rows, const TableQuery& query,
                 const std::vector<PublishedFigure>& published);
// One line for each result, all columns of the ledger.
Grid result_table(const std::vector<LedgerRow>& rows, const TableQuery& query);

std::vector<LedgerRow> chosen_rows(const std::vector<LedgerRow>& rows, const std::vector<Condition>& where);

}  // namespace alps
