// One side of a pivot: the columns of the ledger that name its lines, and the lines in order.
#pragma once

#include <string>
#include <vector>

#include "alps/lab/ledger_row.h"
#include "alps/lab/published.h"

namespace alps {

using Key = std::vector<std::string>;  // a value for each column of a side

class TableSide {
 public:
  // "data_set", or "variant=alps|cem" for these values only, in this order
  TableSide(const std::vector<std::string>& specs, const std::vector<PublishedFigure>& published);

  const std::vector<std::string>& columns() const { return columns_; }
  Key key_of(const LedgerRow& row) const;
  bool shows(const Key& key) const;  // whether its values are among those that were listed
  bool before(const Key& a, const Key& b) const;

 private:
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> listed_;  // of each column; empty: all
  std::vector<std::string> data_sets_;            // in the order of the paper
};

}  // namespace alps
