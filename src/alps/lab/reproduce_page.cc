#include "alps/lab/reproduce_page.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "alps/base/csv_file.h"
#include "alps/base/error.h"
#include "alps/base/file.h"
#include "alps/base/progress.h"
#include "alps/base/version.h"
#include "alps/draw/chart.h"
#include "alps/draw/report.h"
#include "alps/draw/small_png.h"
#include "alps/eval/wilcoxon.h"
#include "alps/lab/page_tables.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

constexpr int kPixels = 520;  // of a picture's longer side: sharp enough beside another one, and the page stays small

// success over the first column's field, a line for each row of the pivot
ReportPicture curve(const PageSource& source, const Exhibit& exhibit, const std::vector<Compared>& cells) {
  std::vector<Series> lines;
  std::map<std::string, size_t> places;
  for (const Compared& c : cells) {
    if (c.ours.empty()) continue;
    const auto [place, fresh] = places.try_emplace(fields_text(c.cell, exhibit.rows), lines.size());
    if (fresh) lines.push_back({.label = place->first, .dots = true});
    Series& line = lines[place->second];
    const Interval interval = c.first()->interval();
    line.x.push_back(std::stod("0" + fields_text(c.cell, exhibit.columns)));
    line.y.push_back(c.first()->success());
    line.low.push_back(interval.low);
    line.high.push_back(interval.high);
  }
  if (lines.empty()) return {};
  const fs::path file = source.paths.lab / "figures" / (exhibit.name + ".svg");
  fs::create_directories(file.parent_path());
  draw_chart(file, lines,
             {.x_label = exhibit.columns.front(), .y_label = "success, %", .y_low = 0, .y_high = 100, .width = 520});
  return {.file = file, .caption = "Success with 95 % intervals"};
}

// pictures of the runs that are there; runs that are not are named
void add_pictures(ReportSection& section, const PageSource& source, const PlannedExhibit& planned) {
  const Exhibit& exhibit = planned.exhibit;
  ReportTable runs{.header = {"run", "settings", "pictures"}, .rows = {}};
  for (const RunSpec& run : planned.sweep.runs) {
    const fs::path folder = run_path(source.paths, run);
    const std::string settings = join(run.set, ", ");
    bool all = true;
    bool first = true;
    for (const std::string& name : exhibit.pictures) {
      fs::path file = folder / "plots" / (name + ".png");
      if (!fs::exists(file)) file.replace_extension(".svg");
      if (!fs::exists(file)) {
        all = false;
        continue;
      }
      section.pictures.push_back(
          {.bytes = file.extension() == ".png" ? small_png(file, kPixels) : read_text(file),
           .caption = str(name, settings.empty() ? "" : ", " + settings, ", preset ", run.preset),
           .columns = std::min<size_t>(exhibit.pictures.size(), 3),
           .new_row = first});
      first = false;
    }
    ReportCell name = folder.filename().string();
    name.link = report_link(source, folder);
    runs.rows.push_back(
        {name, settings.empty() ? "default" : settings, all ? ReportCell("shown") : quiet("not made yet")});
  }
  for (const LeftOut& left : planned.sweep.left_out)
    runs.rows.push_back({left.data, "", quiet("cannot be made here: " + left.reason)});
  section.tables.push_back(std::move(runs));
}

// Wilcoxon with Holm's correction: the paper's, the same from its table, and ours where both are known
ReportTable tests_table(const PageSource& source, const Exhibit& exhibit, const std::vector<Compared>& cells) {
  std::map<std::string, std::map<std::string, double>> paper;  // method, data set
  std::map<std::string, double> ours;
  std::vector<std::string> methods;
  for (const Compared& c : cells) {
    if (c.paper && c.cell.task == 0) {
      if (!paper.contains(c.cell.method)) methods.push_back(c.cell.method);
      paper[c.cell.method][c.cell.data_set] = c.paper->success;
    }
    if (!c.ours.empty() && c.cell.method == "alps") ours[c.cell.data_set] = c.first()->success();
  }
  std::erase(methods, "alps");
  const auto test = [&](const std::map<std::string, double>& mine) {
    std::vector<double> p;
    std::vector<size_t> pairs;
    for (const std::string& method : methods) {
      std::vector<double> x, y;
      for (const auto& [data_set, value] : mine)
        if (const auto other = paper[method].find(data_set); other != paper[method].end()) {
          x.push_back(value);
          y.push_back(other->second);
        }
      p.push_back(x.empty() ? NAN : wilcoxon(x, y).p);
      pairs.push_back(x.size());
    }
    const bool none = pairs.empty() || pairs.front() == 0;
    return std::pair(none ? p : holm_bonferroni(p), pairs);
  };
  const auto [from_table, table_pairs] = test(paper["alps"]);
  const auto [from_ours, our_pairs] = test(ours);
  ReportTable table{
      .caption = "p of ALPS against each method, two-sided, corrected over the methods",
      .header = {"against", "paper prints", "from the paper's table", "data sets", "ALPS here", "data sets"},
      .rows = {}};
  for (size_t i = 0; i < methods.size(); ++i) {
    const auto printed = std::ranges::find_if(source.tests, [&](const PublishedTest& t) {
      return "tab:" + t.table == exhibit.label && t.against == methods[i];
    });
    table.rows.push_back({methods[i], printed == source.tests.end() ? "-" : p_text(printed->p_value),
                          p_text(from_table[i]), str(table_pairs[i]),
                          std::isfinite(from_ours[i]) ? ReportCell(p_text(from_ours[i])) : quiet("-"),
                          str(our_pairs[i])});
  }
  return table;
}

ReportSection section_of(const PageSource& source, const PlannedExhibit& planned) {
  const Exhibit& exhibit = planned.exhibit;
  ReportSection section{.heading = exhibit.title, .tag = exhibit.label, .paragraphs = {exhibit.shows}};
  if (!exhibit.note.empty()) section.paragraphs.push_back(exhibit.note);
  if (exhibit.as == Exhibit::As::kTests) {
    const auto from =
        std::ranges::find_if(source.planned, [&](const PlannedExhibit& p) { return p.exhibit.name == exhibit.from; });
    if (from == source.planned.end())
      throw UsageError(exhibit.file.string(), ": from = \"", exhibit.from, "\" is not among the tables beside it");
    section.tables.push_back(
        tests_table(source, exhibit, compare(from->exhibit, from->sweep, source.published, source.ledger)));
    return section;
  }
  const std::vector<Compared> cells = compare(exhibit, planned.sweep, source.published, source.ledger);
  section.facts = facts_of(cells);
  section.pictures_first = true;
  if (exhibit.as == Exhibit::As::kPictures) {
    add_pictures(section, source, planned);
    section.facts.clear();
  }
  if (exhibit.as == Exhibit::As::kCurve)
    if (ReportPicture picture = curve(source, exhibit, cells); !picture.file.empty())
      section.pictures.push_back(std::move(picture));
  if (exhibit.as != Exhibit::As::kPictures) section.tables.push_back(pivot_table(exhibit, cells));
  if (ReportTable rows = long_table(source, exhibit, cells); !rows.rows.empty())
    section.tables.push_back(std::move(rows));
  return section;
}

ReportSection missing_section(const PageSource& source) {
  ReportSection section{.heading = "Not possible here yet"};
  section.paragraphs = {
      "These data sets of the paper cannot be made with this version. An official file in the data folder is enough to "
      "measure them."};
  ReportTable table{.header = {"data set", "why", "wanted by"}, .rows = {}};
  std::vector<std::string> order;
  std::map<std::string, std::pair<std::string, std::string>> found;
  for (const PlannedExhibit& p : source.planned)
    for (const LeftOut& left : p.sweep.left_out) {
      if (!found.contains(left.data)) order.push_back(left.data);
      auto& [why, wanted] = found[left.data];
      why = left.reason;
      wanted += (wanted.empty() ? "" : ", ") + p.exhibit.name;
    }
  for (const std::string& data : order) table.rows.push_back({data, found[data].first, found[data].second});
  if (table.rows.empty()) return {};
  section.tables = {std::move(table)};
  return section;
}

}  // namespace

std::vector<PublishedTest> load_published_tests(const fs::path& file) {
  if (!fs::exists(file)) return {};
  const CsvFile csv = read_csv(file);
  std::vector<PublishedTest> tests;
  for (size_t i = 0; i < csv.rows.size(); ++i) {
    const auto text = [&](const char* column) { return csv.text(i, csv.find(column)); };
    tests.push_back({text("table"), text("method"), text("against"), csv.number(i, csv.find("p_value"))});
    if (!(tests.back().p_value >= 0 && tests.back().p_value <= 1))
      throw Error(file.string(), ":", i + 2, ": p_value must be a number from 0 to 1");
  }
  return tests;
}

void write_reproduce_page(const PageSource& source) {
  Report report{.title = "The paper's tables and figures, measured again",
                .subtitle = "alps " ALPS_VERSION_STRING
                            ", beside \u201cLaplacian Representations for Decision-Time Planning\u201d",
                .searchable = true};
  ReportSection about{.heading = "What stands here"};
  about.paragraphs = {
      "Each section is a table or a figure of the paper. Large figures are success rates measured here, in per cent; "
      "the "
      "paper's stand below them with their deviation over seeds, and the difference in points. Green: the paper's "
      "figure lies "
      "below our 95 % interval; red: above it. The interval is Wilson's over all episodes.",
      "Ours are measured on data sets that were made here by OGBench's published procedure, the paper's on the "
      "official files. "
      "Preset fast trains for minutes; preset paper has the paper's settings."};
  std::set<std::string> data_sets, counted;
  size_t episodes = 0;
  for (const PlannedExhibit& p : source.planned)
    for (const Compared& c : compare(p.exhibit, p.sweep, source.published, source.ledger))
      for (const Ours& ours : c.ours)
        for (const LedgerRow& row : ours.rows)
          if (counted.insert(row.config.empty() ? row.where + row.command : row.config).second) {
            episodes += static_cast<size_t>(row.episodes);
            data_sets.insert(row.data_set);
          }
  about.facts = {{"tables and figures", std::to_string(source.planned.size())},
                 {"results that count", with_commas(counted.size())},
                 {"episodes", with_commas(episodes)},
                 {"data sets measured", std::to_string(data_sets.size())}};
  report.sections.push_back(std::move(about));
  for (const PlannedExhibit& p : source.planned) report.sections.push_back(section_of(source, p));
  if (ReportSection missing = missing_section(source); !missing.heading.empty())
    report.sections.push_back(std::move(missing));
  write_report(source.page, report);
}

}  // namespace alps
