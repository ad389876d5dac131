#include "alps/lab/table.h"

#include <algorithm>

#include "alps/base/error.h"
#include "alps/base/names.h"
#include "alps/lab/pivot.h"

namespace alps {
namespace {

const std::vector<std::string> kValues = {"success", "steps", "ms"};

// what was asked, as far as it differs between the results
std::vector<std::string> telling_columns(const std::vector<LedgerRow>& rows) {
  std::vector<std::string> columns;
  for (const std::string& column : question_columns()) {
    std::set<std::string> values;
    for (const LedgerRow& row : rows) values.insert(ledger_cell(row, column));
    if (column == "data_set" || values.size() > 1) columns.push_back(column);
  }
  return columns;
}

void check_column(const std::string& spec, const std::vector<LedgerRow>& rows) {
  const std::string column = spec.substr(0, spec.find('='));
  if (is_ledger_column(column)) return;
  if (std::ranges::any_of(rows, [&](const LedgerRow& r) { return !ledger_cell(r, column).empty(); })) return;
  std::string names;
  for (const std::string& name : ledger_columns()) names += (names.empty() ? "" : ", ") + name;
  throw UsageError("no column '", column, "'", nearest_hint(column, ledger_columns()), "; there are ", names,
                   ", and the settings that somebody gave with --set");
}

}  // namespace

std::vector<LedgerRow> chosen_rows(const std::vector<LedgerRow>& rows, const std::vector<Condition>& where) {
  for (const Condition& c : where) check_column(c.column, rows);
  std::vector<LedgerRow> chosen;
  std::ranges::copy_if(rows, std::back_inserter(chosen), [&](const LedgerRow& r) { return all_hold(where, r); });
  return chosen;
}

Grid pivot_table(const std::vector<LedgerRow>& all, const TableQuery& query,
                 const std::vector<PublishedFigure>& published) {
  const std::vector<LedgerRow> rows = chosen_rows(all, query.where);
  TableQuery whole = query;
  if (whole.rows.empty() && whole.columns.empty()) whole.rows = telling_columns(rows);
  if (whole.rows.empty()) whole.rows = {"data_set"};
  for (const auto* side : {&whole.rows, &whole.columns})
    for (const std::string& spec : *side) check_column(spec, all);
  for (const std::string& value : whole.values)
    if (std::ranges::find(kValues, value) == kValues.end())
      throw UsageError("no value '", value, "'", nearest_hint(value, kValues), "; there are success, steps and ms");
  const Pivot pivot(rows, whole, published);
  return query.list ? pivot.list() : pivot.grid();
}

Grid result_table(const std::vector<LedgerRow>& all, const TableQuery& query) {
  Grid grid{.header = ledger_columns(), .rows = {}, .keys = 3, .notes = {}};
  for (const LedgerRow& row : chosen_rows(all, query.where)) {
    std::vector<std::string> cells;
    for (const std::string& column : ledger_columns()) cells.push_back(ledger_cell(row, column));
    grid.rows.push_back(std::move(cells));
  }
  return grid;
}

}  // namespace alps
