// How a run was trained, for the report: its settings, training curves and times.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "alps/base/csv_file.h"
#include "alps/base/progress.h"
#include "alps/draw/chart.h"
#include "alps/plan/planner_settings.h"
#include "alps/run/regions.h"
#include "alps/show/report_sections.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

constexpr size_t kPoints = 400;  // of a curve; longer ones are averaged

struct Column {
  const char *name, *title;
};
// columns of train.csv that say more by another name, and those that say little: the others of ALLO's game, and those
// of the optimizer
constexpr Column kTitles[] = {{"orthonormality", "distance from orthonormal functions"}};
constexpr const char* kLeftOut[] = {"grad_norm", "lr", "dual_loss", "barrier_loss"};

// "graph_loss" -> "graph loss"
std::string column_title(const std::string& column) {
  for (const Column& known : kTitles)
    if (column == known.name) return known.title;
  std::string title = column;
  std::ranges::replace(title, '_', ' ');
  return title;
}

// "representation" -> "Map", and others by their own names
std::string part_title(const std::string& part) {
  if (part == "representation") return "Map";
  if (part == "model") return "Forward model";
  std::string title = part;
  std::ranges::replace(title, '_', ' ');
  if (!title.empty()) title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

// the terms that training logged, in the order of the file
std::vector<std::string> terms_of(const CsvFile& csv) {
  const std::string training = "training/";
  std::vector<std::string> terms;
  for (const std::string& column : csv.columns)
    if (column.starts_with(training) &&
        std::ranges::find(kLeftOut, column.substr(training.size())) == std::end(kLeftOut))
      terms.push_back(column.substr(training.size()));
  return terms;
}

// means of so many rows that the curve has kPoints at most
Series curve(const CsvFile& csv, const std::string& part, size_t column, const std::string& label) {
  const size_t part_column = csv.find("part"), step = csv.find("step");
  std::vector<std::pair<double, double>> points;
  for (size_t row = 0; row < csv.rows.size(); ++row)
    if (const double y = csv.number(row, column); csv.text(row, part_column) == part && std::isfinite(y))
      points.emplace_back(csv.number(row, step), y);
  Series series{.label = label, .x = {}, .y = {}};
  const size_t bucket = (points.size() + kPoints - 1) / kPoints;
  for (size_t first = 0; first < points.size(); first += bucket) {
    const size_t count = std::min(bucket, points.size() - first);
    double x = 0, y = 0;
    for (size_t i = first; i < first + count; ++i) {
      x += points[i].first / static_cast<double>(count);
      y += points[i].second / static_cast<double>(count);
    }
    series.x.push_back(x);
    series.y.push_back(y);
  }
  return series;
}

// values that span more than a factor of thirty are told apart on a logarithm only
bool wants_logarithm(const std::vector<Series>& all) {
  double low = INFINITY, high = 0;
  for (const Series& s : all)
    for (const double y : s.y) {
      low = std::min(low, y);
      high = std::max(high, y);
    }
  return low > 0 && high > 30 * low;
}

std::vector<std::string> parts_of(const CsvFile& csv) {
  std::vector<std::string> parts;
  const size_t column = csv.find("part");
  for (size_t row = 0; row < csv.rows.size(); ++row)
    if (const std::string part = csv.text(row, column); std::ranges::find(parts, part) == parts.end())
      parts.push_back(part);
  // the parts of planning in the order of training, whatever was trained last
  const std::vector<std::string> order = {"representation", "model", "prior"};
  std::ranges::stable_sort(parts, {},
                           [&](const std::string& p) { return std::ranges::find(order, p) - order.begin(); });
  return parts;
}

std::optional<CsvFile> train_csv(const ReportSource& source) {
  const fs::path path = source.run.folder / "train.csv";
  if (!fs::exists(path)) return {};
  return read_csv(path);
}

// settings that mean nothing to a run that does not plan
bool of_planning(const std::string& key) {
  static const Profile known = [] {
    Profile profile = planner_profile();
    profile.add<RegionSettings>("regions");
    return profile;
  }();
  return known.has(key);
}

float quantile(std::vector<float> values, double share) {
  const auto at = values.begin() + static_cast<ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

ReportSection training_section(const ReportSource& source) {
  ReportSection section;
  const auto csv = train_csv(source);
  if (!csv || csv->rows.empty()) return section;
  section.heading = "Training";
  section.paragraphs = {
      "Curves of train.csv over the steps of each part. Dashed: on the validation set, which training never sees."};
  if (csv->find("training/graph_loss") < csv->columns.size())
    section.paragraphs.push_back(
        "The map's loss is a game rather than a descent: smooth functions (graph loss) against functions that are "
        "orthonormal. Early on all functions are alike and smooth; the graph loss rises while they part.");
  for (const std::string& part : parts_of(*csv))
    for (const std::string& term : terms_of(*csv)) {
      std::vector<Series> series;
      for (const char* kind : {"training", "validation"}) {
        Series s = curve(*csv, part, csv->find(str(kind, "/", term)), kind);
        if (s.x.empty()) continue;
        s.dashed = s.label == "validation";
        s.dots = s.x.size() < 12;
        series.push_back(std::move(s));
      }
      if (series.empty()) continue;
      const fs::path picture = source.plots / str("training-", part, "-", term, ".svg");
      draw_chart(picture, series,
                 {.x_label = "step", .logarithmic_y = wants_logarithm(series), .width = 340, .height = 210});
      section.pictures.push_back(
          {.file = picture, .caption = str(part_title(part), ": ", column_title(term)), .columns = 2});
    }
  return section;
}

ReportSection timings_section(const ReportSource& source, const std::vector<VariantResult>& results) {
  ReportSection section{.heading = "Timings"};
  if (const auto csv = train_csv(source); csv && !csv->rows.empty()) {
    ReportTable table{.caption = str("Training, on ", source.run.config.device, " with ", source.run.config.threads,
                                     source.run.config.threads == 1 ? " thread" : " threads"),
                      .header = {"part", "steps", "ms a step", "seconds"},
                      .rows = {}};
    const size_t part_column = csv->find("part"), step = csv->find("step"), time = csv->find("time/step_time");
    for (const std::string& part : parts_of(*csv)) {
      double steps = 0, seconds = 0;
      for (size_t row = 0; row < csv->rows.size(); ++row) {
        if (csv->text(row, part_column) != part) continue;
        const double at = csv->number(row, step), taken = csv->number(row, time);
        if (std::isfinite(taken) && at > steps) seconds += taken * (at - steps);
        steps = std::max(steps, at);
      }
      if (steps > 0)
        table.rows.push_back({part_title(part), with_commas(static_cast<size_t>(steps)), figure(1000 * seconds / steps),
                              figure(seconds)});
    }
    section.tables.push_back(std::move(table));
  }
  if (!results.empty()) {
    ReportTable table{.caption = "Decisions, in ms: the mean, and what this share of them took at most",
                      .header = {source.run.graph ? "variant" : "method", "decisions", "mean", "50 %", "90 %", "99 %",
                                 "longest", "evaluation, s"},
                      .rows = {}};
    for (const VariantResult& r : results) {
      size_t steps = 0;
      for (const TaskEpisodes& t : r.tasks)
        for (const EpisodePath& e : t.episodes) steps += e.points.size() - 1;
      std::vector<ReportCell> row = {r.variant, with_commas(steps),
                                     r.mean_decision_ms > 0 ? figure(r.mean_decision_ms) : "-"};
      for (const double share : {0.5, 0.9, 0.99, 1.0})
        row.push_back(r.decision_ms.empty() ? "-" : figure(quantile(r.decision_ms, share)));
      row.push_back(r.seconds > 0 ? figure(r.seconds) : "-");
      table.rows.push_back(std::move(row));
    }
    section.tables.push_back(std::move(table));
  }
  if (section.tables.empty()) section.heading.clear();
  return section;
}

ReportSection settings_section(const ReportSource& source) {
  ReportSection section{
      .heading = "Settings",
      .paragraphs = {"Every setting, as config.json keeps it, with where its value came from; alps train "
                     "--help explains each, alps train --explain tells why."}};
  const RunConfig& config = source.run.config;
  for (const Setting& s : config.profile.settings()) {
    if (!source.run.graph && of_planning(s.key)) continue;
    const std::string origin = s.origin == Origin::kDefault ? "" : str(" (", origin_name(s.origin), ")");
    section.facts.emplace_back(s.key, s.text() + origin);
  }
  section.facts.emplace_back("seed", std::to_string(config.seed));
  section.facts.emplace_back("device", config.device);
  section.facts.emplace_back("precision", config.precision);
  section.facts.emplace_back("threads", std::to_string(config.threads));
  for (const auto& [key, value] : config.versions) section.facts.emplace_back(key + " version", value);
  return section;
}

}  // namespace alps
