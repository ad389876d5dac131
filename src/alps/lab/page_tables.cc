#include "alps/lab/page_tables.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>

#include "alps/base/error.h"
#include "alps/base/progress.h"
#include "alps/eval/wilcoxon.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

std::string signed_text(double value) {
  const std::string text = percent_text(std::abs(value));
  return (text == "0" ? "\u00b1" : value < 0 ? "\u2212" : "+") + text;
}

std::string paper_text(const PublishedFigure& paper) {
  return percent_text(paper.success) +
         (std::isfinite(paper.deviation) ? " \u00b1 " + percent_text(paper.deviation) : "");
}

// whether the paper's figure is outside of our interval, and on which side
ReportCell::Tone tone_of(const Compared& c, const Ours& ours) {
  if (!c.paper) return ReportCell::Tone::kPlain;
  constexpr double kShown = 0.05;  // less is not seen in the figures
  const Interval interval = ours.interval();
  if (c.paper->success < interval.low - kShown) return ReportCell::Tone::kGood;
  return c.paper->success > interval.high + kShown ? ReportCell::Tone::kBad : ReportCell::Tone::kPlain;
}

// `ours`: whether the column is measured here; other columns hold the paper's figures to compare with
ReportCell pivot_cell(const Compared& c, bool ours) {
  if (!c.ours.empty()) {
    ReportCell cell = percent_text(c.first()->success());
    if (c.paper) cell.text += " (" + signed_text(*c.difference()) + ")";
    if (c.paper) cell.note = "paper " + paper_text(*c.paper);
    cell.tone = tone_of(c, *c.first());
    return cell;
  }
  const bool wanted = c.planned || (!c.missing.empty() && c.cell.method == "alps");
  if (!ours || !wanted) return quiet(c.paper ? paper_text(*c.paper) : "");
  ReportCell cell = quiet("\u2013");
  cell.note = str(c.paper ? "paper " + paper_text(*c.paper) + ", " : "",
                  c.missing.empty() ? "not measured" : "not possible yet");
  return cell;
}

// keys in the order in which they come
size_t place_of(std::vector<std::string>& keys, const std::string& key) {
  const auto found = std::ranges::find(keys, key);
  if (found != keys.end()) return static_cast<size_t>(found - keys.begin());
  keys.push_back(key);
  return keys.size() - 1;
}

// "16 clusters", "dijkstra+cem", "pclast, origin=rerun"
std::string column_title(const Cell& cell, const std::vector<std::string>& fields) {
  const std::string text = fields_text(cell, fields);
  return fields.front() == "clusters" || fields.front() == "task" ? text + " " + fields.front() : text;
}

std::string title_of(const std::string& field) { return field == "data_set" ? "data set" : field; }

// fields that differ between cells or were given, so that the others need no column
std::vector<std::string> telling_fields(const std::vector<const Compared*>& cells) {
  std::vector<std::string> fields;
  for (const char* name : {"data_set", "method", "variant", "clusters", "setting", "task"}) {
    const bool differs = std::ranges::any_of(
        cells, [&](const Compared* c) { return c->cell.field(name) != cells.front()->cell.field(name); });
    const std::string field = name;
    const bool always = field == "data_set" || field == "variant";
    const bool given = (field == "clusters" || field == "setting") && !cells.front()->cell.field(name).empty();
    if (differs || always || given) fields.push_back(field);
  }
  return fields;
}

std::vector<ReportCell> measured_cells(const PageSource& source, const Compared& c, const Ours& ours) {
  const Interval interval = ours.interval();
  const std::optional<double> deviation = ours.deviation();
  ReportCell difference = c.paper ? signed_text(ours.success() - c.paper->success) : "-";
  difference.tone = tone_of(c, ours);
  ReportCell report = "-";
  for (const LedgerRow& row : ours.rows)
    if (const std::string link = report_link(source, run_of(row)); !link.empty() && report.link.empty()) {
      report.text = str("seed ", row.seed);
      report.link = link;
    }
  return {ours.how,
          c.paper ? ReportCell(paper_text(*c.paper)) : ReportCell("-"),
          str(percent_text(ours.success()), deviation ? " \u00b1 " + percent_text(*deviation) : ""),
          difference,
          str(percent_text(interval.low), " to ", percent_text(interval.high)),
          str(ours.seeds),
          str(ours.episodes),
          report};
}

}  // namespace

std::string percent_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  std::string result = text;
  if (result.ends_with(".0")) result.resize(result.size() - 2);
  return result == "-0" ? "0" : result;
}

std::string p_text(double p) {
  if (!std::isfinite(p)) return "-";
  char text[32];
  if (p < 5e-7) return "< 0.000001";
  std::snprintf(text, sizeof text, p < 0.001 ? "%.6f" : "%.3f", p);
  return text;
}

ReportCell quiet(std::string text) {
  ReportCell cell = std::move(text);
  cell.tone = ReportCell::Tone::kQuiet;
  return cell;
}

std::string join(const std::vector<std::string>& words, const char* between) {
  std::string all;
  for (const std::string& w : words) all += (all.empty() ? "" : between) + w;
  return all;
}

std::string fields_text(const Cell& cell, const std::vector<std::string>& fields) {
  std::vector<std::string> words;
  for (const std::string& field : fields)
    if (const std::string word = cell.field(field); !word.empty()) words.push_back(word);
  return join(words, ", ");
}

std::string report_link(const PageSource& source, const fs::path& run) {
  if (run.empty() || !fs::exists(run / "report.html")) return {};
  const fs::path from = fs::absolute(source.page).lexically_normal().parent_path();
  const std::string link = fs::absolute(run / "report.html").lexically_normal().lexically_relative(from).string();
  return link.starts_with("..") ? "" : link;
}

ReportTable pivot_table(const Exhibit& exhibit, const std::vector<Compared>& cells) {
  std::vector<std::string> rows, columns;
  std::map<std::pair<size_t, size_t>, const Compared*> places;
  std::map<size_t, const Compared*> example;  // of a row
  std::map<size_t, size_t> ours;              // cells of a column that are, or will be, measured here
  for (const Compared& c : cells) {
    const size_t row = place_of(rows, fields_text(c.cell, exhibit.rows));
    const size_t column = place_of(columns, column_title(c.cell, exhibit.columns));
    const Compared*& at = places[{row, column}];
    if (at == nullptr || (at->ours.empty() && !c.ours.empty())) at = &c;
    example.try_emplace(row, &c);
    ours[column] += c.planned || !c.ours.empty();
  }
  // what is measured here comes first, then what the paper has besides
  std::vector<size_t> order(columns.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](size_t i) { return ours[i]; });
  ReportTable table{.header = {}, .rows = {}};
  for (const std::string& field : exhibit.rows) table.header.push_back(title_of(field));
  for (const size_t c : order) table.header.push_back(columns[c] + (ours[c] > 0 ? "" : ", paper"));
  for (size_t r = 0; r < rows.size(); ++r) {
    std::vector<ReportCell> row;
    for (const std::string& field : exhibit.rows) row.emplace_back(example[r]->cell.field(field));
    for (const size_t c : order) {
      const auto found = places.find({r, c});
      row.push_back(found == places.end() ? ReportCell() : pivot_cell(*found->second, ours[c] > 0));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

ReportTable long_table(const PageSource& source, const Exhibit& exhibit, const std::vector<Compared>& cells) {
  std::vector<const Compared*> shown;
  for (const Compared& c : cells)
    if (c.planned || !c.ours.empty() || (!c.missing.empty() && c.cell.method == "alps")) shown.push_back(&c);
  if (shown.empty()) return {};
  const std::vector<std::string> fields = telling_fields(shown);
  ReportTable table{.header = {}, .rows = {}};
  for (const std::string& field : fields) table.header.push_back(title_of(field));
  for (const char* title : {"made with", "paper", "here", "difference", "95 % interval", "seeds", "episodes", "report"})
    table.header.push_back(title);
  for (const Compared* c : shown) {
    std::vector<ReportCell> begin;
    for (const std::string& field : fields) begin.emplace_back(c->cell.field(field));
    for (const Ours& ours : c->ours) {
      std::vector<ReportCell> row = begin;
      for (ReportCell& cell : measured_cells(source, *c, ours)) row.push_back(std::move(cell));
      table.rows.push_back(std::move(row));
    }
    if (!c->ours.empty()) continue;
    begin.push_back(quiet(c->missing.empty() ? "not measured" : "not possible yet: " + c->missing));
    begin.push_back(c->paper ? ReportCell(paper_text(*c->paper)) : ReportCell("-"));
    for (int i = 0; i < 6; ++i) begin.emplace_back("-");
    table.rows.push_back(std::move(begin));
  }
  if (exhibit.as != Exhibit::As::kPictures)
    table.folded = str("row by row, with intervals, seeds and episodes (", table.rows.size(), ")");
  return table;
}

std::vector<std::pair<std::string, std::string>> facts_of(const std::vector<Compared>& cells) {
  size_t wanted = 0, measured = 0, impossible = 0;
  std::vector<double> ours, paper;  // of ALPS; of its variants only where the table does not have the whole planner
  const bool whole_planner = std::ranges::any_of(cells, [](const Compared& c) { return c.cell.variant == "alps"; });
  for (const Compared& c : cells) {
    if (!c.missing.empty() && c.cell.method == "alps") ++impossible;
    if (!c.planned && c.ours.empty()) continue;
    ++wanted;
    measured += !c.ours.empty();
    if (c.ours.empty() || !c.paper || c.cell.task > 0 || c.cell.method != "alps") continue;
    if (whole_planner && c.cell.variant != "alps") continue;
    ours.push_back(c.first()->success());
    paper.push_back(c.paper->success);
  }
  const auto mean = [](const std::vector<double>& values) {
    double sum = 0;
    for (const double v : values) sum += v / static_cast<double>(values.size());
    return sum;
  };
  std::vector<std::pair<std::string, std::string>> facts = {{"cells measured", str(measured, " of ", wanted)}};
  if (impossible > 0) facts.emplace_back("not possible yet", str(impossible));
  if (!ours.empty()) {
    facts.emplace_back("ALPS here, mean", percent_text(mean(ours)) + " %");
    facts.emplace_back("the same in the paper", percent_text(mean(paper)) + " %");
  }
  constexpr size_t kFewest = 6;  // pairs; with five, no difference has p below 0.05
  if (ours.size() >= kFewest) facts.emplace_back("p of the difference (Wilcoxon)", p_text(wilcoxon(ours, paper).p));
  return facts;
}

}  // namespace alps
