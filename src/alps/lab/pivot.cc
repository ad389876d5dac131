#include "alps/lab/pivot.h"

#include <algorithm>
#include <set>

#include "alps/base/profile.h"
#include "alps/eval/statistics.h"

namespace alps {
namespace {

std::string joined(const Key& key) {
  std::string text;
  for (const std::string& word : key)
    if (!word.empty()) text += (text.empty() ? "" : " ") + word;
  return text.empty() ? "-" : text;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos;
}

// what a published figure has in a column of ours; a setting may be varied by its name
std::string published_cell(const PublishedFigure& f, const std::string& column) {
  if (column == "data_set") return f.data_set;
  if (column == "method") return f.method;
  if (column == "variant") return f.variant;
  if (column == "clusters") return f.clusters;
  return value_of(f.setting, column);
}

bool always_published(const std::string& column) {
  return column == "data_set" || column == "method" || column == "variant";
}

}  // namespace

Pivot::Pivot(const std::vector<LedgerRow>& rows, const TableQuery& query, const std::vector<PublishedFigure>& published)
    : query_(query), down_(query.rows, published), across_(query.columns, published) {
  std::set<Key> lines, columns;
  for (const LedgerRow& row : rows) {
    const Key line = down_.key_of(row), column = across_.key_of(row);
    if (!down_.shows(line) || !across_.shows(column)) continue;
    cells_[{line, column}].add(row);
    std::string cell;
    for (const Key* key : {&line, &column})
      for (const std::string& word : *key) cell += word + "\n";
    mixed_.add(cell, row);
    lines.insert(line);
    columns.insert(column);
  }
  lines_.assign(lines.begin(), lines.end());
  columns_.assign(columns.begin(), columns.end());
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

Grid Pivot::grid() const {
  Grid grid = empty_grid();
  // numbers alone do not tell what they count
  if (across_.columns().size() == 1 && std::ranges::all_of(columns_, [](const Key& c) { return is_number(c[0]); }))
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

Grid Pivot::list() const {
  Grid grid = empty_grid();
  grid.header = down_.columns();
  std::ranges::copy(across_.columns(), std::back_inserter(grid.header));
  grid.keys = grid.header.size();
  for (const char* name : {"episodes", "seeds", "successes", "success", "low", "high", "mean_steps", "decision_ms"})
    grid.header.push_back(name);
  if (!query_.published.empty()) grid.header.push_back("published");
  if (query_.best) grid.header.push_back("best");
  const auto number = [](double value) { return std::isfinite(value) ? str(value) : ""; };
  std::vector<std::pair<Key, Key>> measured;
  for (const Key& line : lines_)
    for (const Key& column : columns_)
      if (pool(line, column) != nullptr) measured.emplace_back(line, column);
  for (const auto& [line, column] : measured) {
    const Pool& own = *pool(line, column);
    std::vector<std::string> row(line.begin(), line.end());
    row.insert(row.end(), column.begin(), column.end());
    const Interval i = wilson(static_cast<size_t>(own.successes), static_cast<size_t>(own.episodes));
    for (const size_t count : {size_t(own.episodes), own.seeds.size(), size_t(own.successes)})
      row.push_back(str(count));
    for (const double value : {own.success(), 100 * i.low, 100 * i.high, own.mean_steps(), own.decision_ms()})
      row.push_back(number(value));
    const PublishedFigure *theirs = figure(line, column), *best = best_of(line);
    if (!query_.published.empty()) row.push_back(theirs == nullptr ? "" : number(theirs->success));
    if (query_.best) row.push_back(best == nullptr ? "" : number(best->success));
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

const Pool* Pivot::pool(const Key& line, const Key& column) const {
  const auto at = cells_.find({line, column});
  return at == cells_.end() ? nullptr : &at->second;
}

Grid Pivot::empty_grid() const {
  Grid grid;
  grid.keys = down_.columns().size();
  for (std::string column : down_.columns()) {
    std::ranges::replace(column, '_', ' ');
    grid.header.push_back(column);
  }
  if (const std::string note = mixed_.note(); !note.empty()) grid.notes.push_back(note);
  return grid;
}

void Pivot::add_row(Grid& grid, const Key& line) const {
  std::vector<std::string> row(line.begin(), line.end()), counts;
  const PublishedFigure* best = best_of(line);
  if (query_.best) row.push_back(best == nullptr ? "-" : best->method + " " + fixed_text(best->success, 0));
  for (const Key& column : columns_) {
    const Pool* own = pool(line, column);
    const PublishedFigure* theirs = figure(line, column);
    const std::string told = theirs == nullptr ? "" : fixed_text(theirs->success, 0);
    if (query_.published_columns) row.push_back(told.empty() ? "-" : told);
    // bold: at least as good as anything published
    if (query_.best && own != nullptr && best != nullptr && own->success() >= best->success)
      grid.bold.insert({grid.rows.size(), row.size()});
    const bool brackets = !query_.published_columns && !told.empty();
    row.push_back((own == nullptr ? "-" : own->text(query_.values)) + (brackets ? " [" + told + "]" : ""));
    counts.push_back(own == nullptr ? "-" : own->count_text());
  }
  if (query_.counts) {
    std::string all = counts[0];
    const bool same = std::ranges::all_of(counts, [&](const std::string& c) { return c == counts[0]; });
    for (size_t i = 1; i < counts.size() && !same; ++i) all += ", " + counts[i];
    row.push_back(all);
  }
  grid.rows.push_back(std::move(row));
}

const PublishedFigure* Pivot::best_of(const Key& line) const {
  for (size_t i = 0; i < line.size(); ++i)
    if (down_.columns()[i] == "data_set")
      if (const auto at = best_.find(line[i]); at != best_.end()) return &at->second;
  return nullptr;
}

bool Pivot::fits(const PublishedFigure& f, const Key& line, const Key& column) const {
  size_t settings = 0;  // that the cell asks for by name
  for (const auto& [side, key] : {std::pair(&down_, &line), std::pair(&across_, &column)})
    for (size_t i = 0; i < key->size(); ++i) {
      const std::string& name = side->columns()[i];
      const std::string theirs = published_cell(f, name);
      if ((always_published(name) || !theirs.empty()) && theirs != (*key)[i]) return false;
      settings += !value_of(f.setting, name).empty();
    }
  for (const Condition& c : query_.where)
    if (always_published(c.column) && !c.holds(published_cell(f, c.column))) return false;
  return f.setting.empty() || settings > 0;
}

const PublishedFigure* Pivot::figure(const Key& line, const Key& column) const {
  const PublishedFigure* found = nullptr;
  for (const PublishedFigure& f : beside_) {
    if (!fits(f, line, column)) continue;
    if (found != nullptr) return nullptr;  // the cell's question has several answers
    found = &f;
  }
  return found;
}

}  // namespace alps
