// Rows of the ledger laid out in lines and columns (table.h): each cell a pool of results, with the published figure
// that answers the same question.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "alps/lab/grid.h"
#include "alps/lab/mixed_columns.h"
#include "alps/lab/pool.h"
#include "alps/lab/table.h"
#include "alps/lab/table_side.h"

namespace alps {

class Pivot {
 public:
  Pivot(const std::vector<LedgerRow>& rows, const TableQuery& query, const std::vector<PublishedFigure>& published);

  Grid grid() const;  // lines and columns, for people
  Grid list() const;  // one line for each cell, numbers as they are, for programs

 private:
  const Pool* pool(const Key& line, const Key& column) const;               // null: nothing was measured
  const PublishedFigure* figure(const Key& line, const Key& column) const;  // the one that answers a cell's question
  const PublishedFigure* best_of(const Key& line) const;
  Grid empty_grid() const;
  void add_row(Grid& grid, const Key& line) const;
  bool fits(const PublishedFigure& figure, const Key& line, const Key& column) const;

  TableQuery query_;
  TableSide down_, across_;
  std::vector<Key> lines_, columns_;
  std::map<std::pair<Key, Key>, Pool> cells_;
  MixedColumns mixed_;
  std::vector<PublishedFigure> beside_;
  std::map<std::string, PublishedFigure> best_;  // of each data set
};

}  // namespace alps
