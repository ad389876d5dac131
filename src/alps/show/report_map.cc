// What the run knows, for the report: distances in psi, regions and their graph, spectrum and eigenfunctions.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "alps/base/progress.h"
#include "alps/draw/chart.h"
#include "alps/draw/cluster_map.h"
#include "alps/draw/heat_map.h"
#include "alps/draw/landscape.h"
#include "alps/plan/rollout.h"
#include "alps/show/report_sections.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

constexpr double kBeside = 430;  // points, of maps that share a row: letters stay readable

// regions and the passages that are kept, as a picture
fs::path draw_graph(const ReportSource& source) {
  const StateSample& sample = source.sample;
  const ClusterGraph& graph = *source.run.graph;
  ClusterMapOptions map{.title = str(graph.clusters(), graph.clusters() == 1 ? " region" : " regions"),
                        .caption = str("k-means in ", source.space, "; rare passages pruned"),
                        .nodes = cluster_centers(sample.places, sample.labels, graph.clusters())};
  map.extent = kBeside;
  const auto kept = kept_neighbours(graph, graph.top_p);
  const size_t k = graph.clusters();
  for (size_t a = 0; a < k; ++a)
    for (const int b : kept[a])
      if (static_cast<size_t>(b) > a)
        map.edges.push_back(
            {a, static_cast<size_t>(b), static_cast<double>(graph.passages[a * k + b] + graph.passages[b * k + a])});
  const fs::path picture = source.plots / "regions.png";
  draw_cluster_map(picture, source.plan, sample.places, sample.labels, map);
  return picture;
}

}  // namespace

std::string figure(double value, int digits) {
  char text[40];
  if (std::abs(value) >= 1e4 && std::abs(value) < 1e15 && digits <= 3)
    return (value < 0 ? "-" : "") + with_commas(static_cast<size_t>(std::llround(std::abs(value))));
  std::snprintf(text, sizeof text, "%.*g", std::abs(value) >= 1000 && digits < 4 ? 4 : digits, value);
  return text;
}

std::vector<float> distances_from(const StateSample& sample, std::span<const float> psi) {
  std::vector<float> result;
  for (size_t i = 0; i < sample.size(); ++i)
    result.push_back(static_cast<float>(std::sqrt(squared_distance(std::as_const(sample.psi).row<float>(i), psi))));
  return result;
}

ReportSection about_section(const ReportSource& source, const std::vector<VariantResult>& results) {
  const RunConfig& config = source.run.config;
  ReportSection about{.heading = "The run"};
  about.facts = {{"rows", with_commas(config.survey.rows)},
                 {"episodes in the data", with_commas(config.survey.episodes)},
                 {"method", config.method},
                 {"preset", config.preset},
                 {"seed", std::to_string(config.seed)}};
  if (source.sample.embedded())
    about.facts.emplace_back("dimensions of " + source.space, std::to_string(source.run.model->eigenvectors()));
  if (source.run.graph) about.facts.emplace_back("regions", std::to_string(source.run.graph->clusters()));
  if (!results.empty()) {
    const VariantResult& best = results.front();
    about.facts.emplace_back("success of " + best.variant + ", %",
                             rate_with_interval(best.successes(), best.episodes()));
    if (best.mean_decision_ms > 0) about.facts.emplace_back("a decision takes", figure(best.mean_decision_ms) + " ms");
  }
  return about;
}

ReportSection map_section(const ReportSource& source) {
  const StateSample& sample = source.sample;
  if (!sample.embedded()) return {};
  Point2 reference = sample.places.front();
  if (source.plane != nullptr && !source.plane->tasks().empty()) reference = source.plane->tasks()[0].goal;
  const size_t star = sample.nearest(reference);
  const std::vector<float> far = distances_from(sample, std::as_const(sample.psi).row<float>(star));
  const Point2 at = sample.places[star];
  const std::string& psi = source.space;
  draw_heat_map(source.plots / "distance.png", source.plan, sample.places, far,
                {.title = "Distance in " + psi,
                 .caption = "from the starred state",
                 .star = at,
                 .label = str("|", psi, "(s) - ", psi, "(s*)|"),
                 .extent = kBeside});
  draw_landscape(source.plots / "landscape.png", source.plan, sample.places, far,
                 {.title = "Distance landscape",
                  .caption = str("the height is the distance in ", psi, " from the starred state"),
                  .star = at,
                  .label = "distance"});

  ReportSection section{.heading = "The map"};
  section.paragraphs = {str(
      "The representation ", psi,
      source.laplacian() ? " turns travel time into distance. " : " draws states together that are a few steps apart. ",
      "The first picture shows how far every state is from the starred one: colours should follow the corridors, "
      "not the straight line.",
      source.run.graph ? " The regions are what the route is planned over; a line between two of them is a passage "
                         "that the data have taken."
                       : "")};
  if (source.env == nullptr)
    section.paragraphs.push_back(str("There is no floor plan of these data: the pictures show ", sample.plane, "."));
  section.pictures = {{.file = source.plots / "distance.png",
                       .caption = str("Distance in ", psi, " from the starred state"),
                       .columns = 2}};
  if (source.run.graph)
    section.pictures.push_back({.file = draw_graph(source), .caption = "Regions and passages", .columns = 2});
  section.pictures.push_back(
      {.file = source.plots / "landscape.png",
       .caption = "The same distance as a landscape: a good map has one valley, whose slopes follow the ways"});
  return section;
}

ReportSection functions_section(const ReportSource& source) {
  const StateSample& sample = source.sample;
  const std::vector<float>& values = source.run.model->eigenvalues;
  const bool spectrum = source.laplacian() && std::ranges::any_of(values, [](float v) { return v > 0; });
  if (!sample.embedded()) return {};
  ReportSection section{.heading = spectrum ? "Spectrum and eigenfunctions" : "Functions of the map"};
  if (spectrum) {
    Series series{.label = "", .x = {}, .y = {}, .dots = true};
    for (size_t i = 0; i < values.size(); ++i) {
      series.x.push_back(static_cast<double>(i + 1));
      series.y.push_back(values[i]);
    }
    draw_chart(
        source.plots / "spectrum.svg", {&series, 1},
        {.x_label = "eigenfunction", .y_label = "eigenvalue", .logarithmic_y = true, .width = 420, .height = 230});
    section.paragraphs = {str(
        "Each dimension of psi is an eigenfunction of the graph Laplacian of the data, divided by its eigenvalue to "
        "the power ",
        source.run.config.profile.at("psi_power").text(),
        ". Small eigenvalues belong to slow functions, which tell far places apart and count most; a jump in the "
        "spectrum means that the functions before it say the most important.")};
    section.pictures.push_back({.file = source.plots / "spectrum.svg", .caption = "Eigenvalues, the slowest first"});
  }
  const size_t shown = std::min<size_t>(8, sample.psi.row_size());
  for (size_t c = 0; c < shown; ++c) {
    std::vector<std::vector<float>> column(1);
    for (size_t i = 0; i < sample.size(); ++i) column[0].push_back(std::as_const(sample.psi).row<float>(i)[c]);
    const fs::path picture = source.plots / str("function-", c + 1, ".png");
    const std::string name = str(source.space, " ", c + 1);
    draw_heat_maps(picture, source.plan, sample.places, column, {&name, 1}, 1, {.extent = 240, .bar = false});
    section.pictures.push_back(
        {.file = picture,
         .caption = spectrum && c < values.size() ? str(name, ", eigenvalue ", figure(values[c])) : name,
         .columns = 4});
  }
  return section;
}

}  // namespace alps
