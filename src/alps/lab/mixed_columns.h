// Which answers were pooled that belong to different questions: figures of other settings, backends or methods in one
// cell. Tables that pool rows tell their reader.
#pragma once

#include <map>
#include <set>
#include <string>

#include "alps/lab/ledger_row.h"

namespace alps {

class MixedColumns {
 public:
  // a row of the cell `cell`; a comparison pools over data sets on purpose
  void add(const std::string& cell, const LedgerRow& row, bool over_data_sets = false) {
    for (const std::string& column : question_columns())
      if (!over_data_sets || column != "data_set") values_[cell][column].insert(ledger_cell(row, column));
  }

  std::string note() const {  // empty where nothing was mixed
    std::set<std::string> names;
    for (const auto& [cell, columns] : values_)
      for (const auto& [name, values] : columns)
        if (values.size() > 1) names.insert(name);
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    if (text.empty()) return text;
    return "pools results that differ in: " + text +
           "; tell them apart with --rows or --columns, or choose some with --where";
  }

 private:
  std::map<std::string, std::map<std::string, std::set<std::string>>> values_;
};

}  // namespace alps
