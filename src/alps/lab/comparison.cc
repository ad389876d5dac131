#include "alps/lab/comparison.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "alps/base/error.h"
#include "alps/base/names.h"
#include "alps/draw/chart.h"

namespace alps {
namespace {

// alps's variants by their own names, other methods by theirs
std::string short_name(const std::string& method, const std::string& variant) {
  if (variant.empty()) return method;
  return method == "alps" ? variant : method + " " + variant;
}

std::string name_of(const LedgerRow& row, const std::vector<std::string>& columns) {
  if (columns.empty()) return short_name(row.method, row.variant);
  std::string name;
  for (const std::string& column : columns)
    if (const std::string cell = ledger_cell(row, column); !cell.empty()) name += (name.empty() ? "" : " ") + cell;
  return name;
}

Contestant& named(std::vector<Contestant>& all, const std::string& name, bool published) {
  const auto at = std::ranges::find(all, name, &Contestant::name);
  if (at != all.end()) return *at;
  return all.emplace_back(Contestant{.name = name, .scores = {}, .published = published});
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Comparison compare_two(const Contestant& first, const Contestant& other, const Rng& rng,
                       const BootstrapParams& params) {
  Scores x, y;
  std::vector<double> means_x, means_y;
  Comparison c{.name = other.name};
  for (const auto& [data_set, runs] : other.scores) {
    if (!first.scores.contains(data_set)) continue;
    x.push_back(first.scores.at(data_set));
    y.push_back(runs);
    const double a = mean_of(x.back()), b = mean_of(y.back());
    means_x.push_back(a);
    means_y.push_back(b);
    ++(a > b ? c.better : a < b ? c.worse : c.equal);
  }
  c.data_sets = x.size();
  if (x.empty()) return c;
  c.test = wilcoxon(means_x, means_y);
  c.mean = bootstrap(y, mean_score, rng, params);
  c.first_mean = bootstrap(x, mean_score, rng, params);
  c.iqm = bootstrap(y, interquartile_mean, rng, params);
  c.first_iqm = bootstrap(x, interquartile_mean, rng, params);
  c.improvement = bootstrap_improvement(x, y, rng, params);
  return c;
}

// "87.3 (85.0-89.1)"; without the interval where there was nothing to resample
std::string estimate_text(const Estimate& e, int decimals) {
  char text[96];
  if (e.interval.low == e.interval.high)
    std::snprintf(text, sizeof text, "%.*f", decimals, e.value);
  else
    std::snprintf(text, sizeof text, "%.*f (%.*f-%.*f)", decimals, e.value, decimals, e.interval.low, decimals,
                  e.interval.high);
  return text;
}

std::string p_text(double p) {
  char text[32];
  std::snprintf(text, sizeof text, p < 1e-6 ? "%.1e" : p < 0.001 ? "%.6f" : "%.3f", p);
  return text;
}

}  // namespace

std::vector<Contestant> measured_contestants(const std::vector<LedgerRow>& rows,
                                             const std::vector<std::string>& columns) {
  // results of one training seed together are one run
  std::map<std::string, std::map<std::string, std::map<uint64_t, std::pair<int, int>>>> counts;
  std::vector<std::string> names;
  for (const LedgerRow& row : rows) {
    const std::string name = name_of(row, columns);
    if (!counts.contains(name)) names.push_back(name);
    auto& [successes, episodes] = counts[name][row.data_set][row.seed];
    successes += row.successes;
    episodes += row.episodes;
  }
  std::vector<Contestant> all;
  for (const std::string& name : names)
    for (const auto& [data_set, runs] : counts[name])
      for (const auto& [seed, count] : runs)
        named(all, name, false).scores[data_set].push_back(100.0 * count.first / count.second);
  return all;
}

std::vector<Contestant> published_contestants(const std::vector<PublishedFigure>& figures) {
  std::vector<Contestant> all;
  for (const PublishedFigure& f : figures) {
    if (f.setting.starts_with("task=")) continue;
    std::string name = short_name(f.method, f.variant);
    if (!f.clusters.empty()) name += " clusters=" + f.clusters;
    if (!f.setting.empty()) name += " " + f.setting;
    named(all, name + ", paper", true).scores[f.data_set] = {f.success};
  }
  return all;
}

std::vector<Comparison> compare(const std::vector<Contestant>& all, const std::string& first, const Rng& rng,
                                const BootstrapParams& params) {
  const auto at = std::ranges::find(all, first, &Contestant::name);
  if (at == all.end()) {
    std::vector<std::string> names;
    std::string list;
    for (const Contestant& c : all) list += (list.empty() ? "" : "; ") + names.emplace_back(c.name);
    throw UsageError("--against ", first, ": there is no such column", nearest_hint(first, names),
                     ". There are: ", list);
  }
  std::vector<Comparison> comparisons;
  for (const Contestant& other : all)
    if (&other != &*at)
      if (Comparison c = compare_two(*at, other, rng, params); c.data_sets > 0) comparisons.push_back(std::move(c));
  std::vector<double> p;
  for (const Comparison& c : comparisons) p.push_back(c.test.p);
  p = holm_bonferroni(p);
  for (size_t i = 0; i < p.size(); ++i) comparisons[i].p = p[i];
  return comparisons;
}

Grid comparison_grid(const std::vector<Comparison>& comparisons, const std::string& first) {
  Grid grid{.header = {first + " against", "data sets", "better, equal, worse", "mean", first, "IQM", first,
                       first + " scores higher", "p", "p, corrected"},
            .rows = {}};
  for (const Comparison& c : comparisons)
    grid.rows.push_back({c.name, str(c.data_sets), str(c.better, ", ", c.equal, ", ", c.worse),
                         estimate_text(c.mean, 1), estimate_text(c.first_mean, 1), estimate_text(c.iqm, 1),
                         estimate_text(c.first_iqm, 1), estimate_text(c.improvement, 2), p_text(c.test.p),
                         p_text(c.p)});
  return grid;
}

void draw_profiles(const std::filesystem::path& path, const std::vector<Contestant>& all, const Rng& rng,
                   const BootstrapParams& params) {
  std::vector<std::string> shared;
  for (const auto& [data_set, runs] : all.empty() ? decltype(Contestant::scores)() : all[0].scores)
    if (std::ranges::all_of(all, [&](const Contestant& c) { return c.scores.contains(data_set); }))
      shared.push_back(data_set);
  if (shared.empty())
    throw Error("no data set is shared by all columns, so that there is nothing to draw in ", path.string(),
                "; choose columns or data sets with --where");
  const bool published = std::ranges::any_of(all, &Contestant::published);
  std::vector<double> taus(101);
  std::iota(taus.begin(), taus.end(), 0.0);
  std::vector<Series> series;
  for (const Contestant& c : all) {
    Scores scores;
    for (const std::string& data_set : shared) scores.push_back(c.scores.at(data_set));
    Series line{.label = c.name, .x = taus, .y = {}, .dashed = c.published};
    for (const Estimate& e : performance_profile(scores, taus, rng, params)) {
      line.y.push_back(100 * e.value);
      if (c.published) continue;
      line.low.push_back(100 * e.interval.low);
      line.high.push_back(100 * e.interval.high);
    }
    series.push_back(std::move(line));
  }
  draw_chart(path, series,
             {.title = "Performance profiles",
              .caption = str(shared.size(), " data sets; bands: 95 % of stratified resamples of the runs",
                             published ? "; dashed: published means, one for each data set" : ""),
              .x_label = "success tau, per cent",
              .y_label = "runs with more than tau, per cent",
              .y_low = 0,
              .y_high = 100});
}

}  // namespace alps
