#include "alps/lab/table.h"

#include <algorithm>
#include <cstdio>

#include "alps/base/error.h"
#include "alps/base/names.h"
#include "alps/base/profile.h"
#include "alps/eval/statistics.h"
#include "alps/lab/mixed_columns.h"
#include "alps/lab/table_side.h"

namespace alps {
namespace {

const std::vector<std::string> kValues = {"success", "steps", "ms"};

std::string fixed(double value, int decimals) {
  char text[48];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

// how a cell tells one value; units only where there are several
std::string value_text(const Pool& pool, const std::string& value, bool unit) {
  if (value == "success") return rate_text(pool.successes, pool.episodes);
  if (value == "steps") return pool.successes == 0 ? "" : fixed(pool.mean_steps(), 0) + (unit ? " steps" : "");
  if (pool.ms_episodes == 0) return "";
  return fixed(pool.decision_ms(), pool.decision_ms() < 20 ? 1 : 0) + (unit ? " ms" : "");
}

std::string cell_text(const Pool* pool, const std::vector<std::string>& values) {
  if (pool == nullptr) return "-";
  std::string text;
  for (const std::string& value : values)
    if (const std::string one = value_text(*pool, value, values.size() > 1); !one.empty())
      text += (text.empty() ? "" : ", ") + one;
  return text.empty() ? "-" : text;
}

std::string count_text(const Pool& pool) {
  const size_t seeds = pool.seeds.size();
  return str(pool.episodes, " (", seeds, seeds == 1 ? " seed)" : " seeds)");
}

std::string joined(const Key& key) {
  std::string text;
  for (const std::string& word : key)
    if (!word.empty()) text += (text.empty() ? "" : " ") + word;
  return text.empty() ? "-" : text;
}

// what a published figure has in a column of ours; a setting may be varied by its name
std::string published_cell(const PublishedFigure& f, const std::string& column) {
  if (column == "data_set") return f.data_set;
  if (column == "method") return f.method;
  if (column == "variant") return f.variant;
  if (column == "clusters") return f.clusters;
  return value_of(f.setting, column);
}

class Pivot {
 public:
  Pivot(const std::vector<LedgerRow>& rows, const TableQuery& query, const std::vector<PublishedFigure>& published)
      : query_(query), down_(query.rows, published), across_(query.columns, published) {
    for (const LedgerRow& row : rows) {
      const Key line = down_.key_of(row), column = across_.key_of(row);
      if (!down_.shows(line) || !across_.shows(column)) continue;
      const auto at = std::make_pair(line, column);
      cells_[at].add(row);
      mixed_.add(joined(line) + "\n" + joined(column), row);
      add_once(lines_, line);
      add_once(columns_, column);
    }
    std::ranges::sort(lines_, [&](const Key& a, const Key& b) { return down_.before(a, b); });
    std::ranges::sort(columns_, [&](const Key& a, const Key& b) { return across_.before(a, b); });
    if (query.complete)
      std::erase_if(lines_, [&](const Key& l) {
        return std::ranges::any_of(columns_, [&](const Key& c) { return pool(l, c) == nullptr; });
      });
    if (!query.published.empty()) beside_ = figures_of(published, query.published);
    for (const PublishedFigure& f : published)
      if (f.source == "best") best_[f.data_set] = f;
  }

  Grid grid() const {
    Grid grid = empty_grid();
    // numbers alone do not tell what they count
    if (across_.columns().size() == 1 &&
        std::ranges::all_of(columns_, [](const Key& c) { return c[0].find_first_not_of("0123456789.") > c[0].size(); }))
      grid.header.back() += ", " + across_.columns()[0];
    if (query_.best) grid.header.push_back("best published");
    for (const Key& column : columns_) {
      const std::string name = across_.columns().empty() ? query_.values[0] : joined(column);
      if (query_.published_columns) grid.header.push_back(name + ", paper");
      grid.header.push_back(name);
    }
    if (query_.counts) grid.header.push_back("episodes");
    for (const Key& line : lines_) add_row(grid, line);
    return grid;
  }

  // one line for each cell, numbers as they are
  Grid list() const {
    Grid grid = empty_grid();
    grid.header = down_.columns();
    std::ranges::copy(across_.columns(), std::back_inserter(grid.header));
    grid.keys = grid.header.size();
    for (const char* name : {"episodes", "seeds", "successes", "success", "low", "high", "mean_steps", "decision_ms"})
      grid.header.push_back(name);
    if (!query_.published.empty()) grid.header.push_back("published");
    if (query_.best) grid.header.push_back("best");
    const auto number = [](double value) { return std::isfinite(value) ? number_text(value) : ""; };
    for (const Key& line : lines_)
      for (const Key& column : columns_) {
        const Pool* own = pool(line, column);
        if (own == nullptr) continue;
        std::vector<std::string> row(line.begin(), line.end());
        row.insert(row.end(), column.begin(), column.end());
        const Interval i = wilson(static_cast<size_t>(own->successes), static_cast<size_t>(own->episodes));
        for (const int count : {own->episodes, static_cast<int>(own->seeds.size()), own->successes})
          row.push_back(str(count));
        for (const double value : {own->success(), 100 * i.low, 100 * i.high, own->mean_steps(), own->decision_ms()})
          row.push_back(number(value));
        const PublishedFigure *theirs = figure(line, column), *best = best_of(line);
        if (!query_.published.empty()) row.push_back(theirs == nullptr ? "" : number(theirs->success));
        if (query_.best) row.push_back(best == nullptr ? "" : number(best->success));
        grid.rows.push_back(std::move(row));
      }
    return grid;
  }

 private:
  static void add_once(std::vector<Key>& keys, const Key& key) {
    if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  }

  const Pool* pool(const Key& line, const Key& column) const {
    const auto at = cells_.find({line, column});
    return at == cells_.end() ? nullptr : &at->second;
  }

  Grid empty_grid() const {
    Grid grid;
    grid.keys = down_.columns().size();
    for (std::string column : down_.columns()) {
      std::ranges::replace(column, '_', ' ');
      grid.header.push_back(column);
    }
    if (const std::string note = mixed_.note(); !note.empty()) grid.notes.push_back(note);
    return grid;
  }

  void add_row(Grid& grid, const Key& line) const {
    std::vector<std::string> row(line.begin(), line.end()), counts;
    const PublishedFigure* best = best_of(line);
    if (query_.best) row.push_back(best == nullptr ? "-" : best->method + " " + fixed(best->success, 0));
    for (const Key& column : columns_) {
      const Pool* own = pool(line, column);
      const PublishedFigure* theirs = figure(line, column);
      const std::string told = theirs == nullptr ? "" : fixed(theirs->success, 0);
      if (query_.published_columns) row.push_back(told.empty() ? "-" : told);
      // bold: at least as good as anything published
      if (query_.best && own != nullptr && best != nullptr && own->success() >= best->success)
        grid.bold.insert({grid.rows.size(), row.size()});
      const bool brackets = !query_.published_columns && !told.empty();
      row.push_back(cell_text(own, query_.values) + (brackets ? " [" + told + "]" : ""));
      counts.push_back(own == nullptr ? "-" : count_text(*own));
    }
    if (query_.counts) {
      std::string all = counts[0];
      const bool same = std::ranges::all_of(counts, [&](const std::string& c) { return c == counts[0]; });
      for (size_t i = 1; i < counts.size() && !same; ++i) all += ", " + counts[i];
      row.push_back(all);
    }
    grid.rows.push_back(std::move(row));
  }

  const PublishedFigure* best_of(const Key& line) const {
    const auto at = best_.find(data_set_of(line));
    return at == best_.end() ? nullptr : &at->second;
  }

  std::string data_set_of(const Key& line) const {
    for (size_t i = 0; i < line.size(); ++i)
      if (down_.columns()[i] == "data_set") return line[i];
    return {};
  }

  // the one published figure that answers the question of a cell
  const PublishedFigure* figure(const Key& line, const Key& column) const {
    const PublishedFigure* found = nullptr;
    for (const PublishedFigure& f : beside_) {
      bool fits = true;
      size_t settings = 0;  // that the cell asks for by name
      const auto compare = [&](const TableSide& side, const Key& key) {
        for (size_t i = 0; i < key.size(); ++i) {
          const std::string& name = side.columns()[i];
          const std::string theirs = published_cell(f, name);
          const bool told = name == "data_set" || name == "method" || name == "variant" || !theirs.empty();
          if (told) fits = fits && theirs == key[i];
          settings += !value_of(f.setting, name).empty();
        }
      };
      compare(down_, line);
      compare(across_, column);
      for (const Condition& c : query_.where)
        if (c.column == "data_set" || c.column == "method" || c.column == "variant")
          fits = fits && c.holds(published_cell(f, c.column));
      if (!fits || (!f.setting.empty() && settings == 0)) continue;
      if (found != nullptr) return nullptr;
      found = &f;
    }
    return found;
  }

  const TableQuery& query_;
  TableSide down_, across_;
  std::vector<Key> lines_, columns_;
  std::map<std::pair<Key, Key>, Pool> cells_;
  MixedColumns mixed_;
  std::vector<PublishedFigure> beside_;
  std::map<std::string, PublishedFigure> best_;
};

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

void Pool::add(const LedgerRow& row) {
  successes += row.successes;
  episodes += row.episodes;
  seeds.insert(row.seed);
  if (std::isfinite(row.mean_steps)) step_sum += row.mean_steps * row.successes;
  if (!std::isfinite(row.decision_ms)) return;
  ms_sum += row.decision_ms * row.episodes;
  ms_episodes += row.episodes;
}

std::string rate_text(int successes, int episodes) {
  const Interval i = wilson(static_cast<size_t>(successes), static_cast<size_t>(episodes));
  return fixed(100.0 * successes / episodes, 0) + " (" + fixed(100 * i.low, 0) + "-" + fixed(100 * i.high, 0) + ")";
}

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
