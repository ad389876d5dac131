#include "alps/lab/table_side.h"

#include <algorithm>

#include "alps/lab/filter.h"

namespace alps {

TableSide::TableSide(const std::vector<std::string>& specs, const std::vector<PublishedFigure>& published) {
  for (const std::string& spec : specs) {
    const size_t equals = spec.find('=');
    columns_.push_back(spec.substr(0, equals));
    listed_.emplace_back();
    if (equals == std::string::npos) continue;
    listed_.back() = parse_conditions(spec)[0].patterns;
  }
  for (const PublishedFigure& f : published)
    if (std::ranges::find(data_sets_, f.data_set) == data_sets_.end()) data_sets_.push_back(f.data_set);
}

Key TableSide::key_of(const LedgerRow& row) const {
  Key key;
  for (const std::string& column : columns_) key.push_back(ledger_cell(row, column));
  return key;
}

bool TableSide::shows(const Key& key) const {
  for (size_t i = 0; i < key.size(); ++i)
    if (!listed_[i].empty() && std::ranges::find(listed_[i], key[i]) == listed_[i].end()) return false;
  return true;
}

bool TableSide::before(const Key& a, const Key& b) const {
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (a[i] == b[i]) continue;
    const std::vector<std::string>& order = columns_[i] == "data_set" ? data_sets_ : listed_[i];
    const auto x = std::ranges::find(order, a[i]), y = std::ranges::find(order, b[i]);
    return x != y ? x < y : in_reading_order(a[i], b[i]);
  }
  return false;
}

}  // namespace alps
