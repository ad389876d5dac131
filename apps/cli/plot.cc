// alps plot: what a run knows, as pictures in RUN/plots and one page, RUN/report.html.
#include <algorithm>
#include <cmath>

#include "alps/base/npz.h"
#include "alps/base/progress.h"
#include "alps/collect/recipe.h"
#include "alps/draw/chart.h"
#include "alps/draw/cluster_map.h"
#include "alps/draw/episode_map.h"
#include "alps/draw/floorplan.h"
#include "alps/draw/heat_map.h"
#include "alps/draw/landscape.h"
#include "alps/draw/report.h"
#include "alps/eval/evaluate.h"
#include "alps/eval/statistics.h"
#include "alps/graph/kmeans.h"
#include "alps/world/catalog.h"
#include "cli/picture.h"
#include "cli/run.h"

namespace fs = std::filesystem;

namespace alps::cli {
namespace {

constexpr size_t kStates = 200000;  // of the data set, in the pictures

// states of the data set, spread evenly over its rows: where they are and what psi says of them
struct Sample {
  std::vector<Point2> places;
  Array psi;
  std::vector<int32_t> labels;
};

Sample sample_states(const Run& run) {
  const bool image = !run.model->trunk.empty();
  const Dataset data = load_dataset(run.config.data_path, {.observations = !image});
  const size_t n = std::min(kStates, data.rows());
  const Array& where = data.qpos.size() > 0 ? data.qpos : data.observations;
  if (where.dtype() != DType::kFloat32 || where.size() == 0 || where.row_size() < 2)
    throw Error(run.config.data_path, " has no positions to draw: neither qpos nor observations with two columns");
  Sample sample;
  std::vector<size_t> rows;
  for (size_t i = 0; i < n; ++i) {
    rows.push_back(i * data.rows() / n);
    const auto place = where.row<float>(rows.back());
    sample.places.push_back({place[0], place[1]});
  }
  sample.psi = embed_rows(*run.model, data, rows);
  sample.labels.resize(n);
  nearest_centers(std::as_const(sample.psi).as<float>(), sample.psi.row_size(), run.graph->centers, sample.labels);
  return sample;
}

std::vector<float> distances_from(const Sample& sample, size_t reference) {
  std::vector<float> result;
  const auto z = std::as_const(sample.psi).row<float>(reference);
  for (size_t i = 0; i < sample.places.size(); ++i) {
    const auto psi = std::as_const(sample.psi).row<float>(i);
    double sum = 0;
    for (size_t j = 0; j < psi.size(); ++j) sum += (psi[j] - z[j]) * (psi[j] - z[j]);
    result.push_back(static_cast<float>(std::sqrt(sum)));
  }
  return result;
}

size_t nearest_state(const Sample& sample, Point2 p) {
  return std::ranges::min_element(sample.places, {}, [&](Point2 q) { return distance(p, q); }) - sample.places.begin();
}

// evaluated episodes of one variant, as alps eval left them; where goals are drawn at random, each has its own
std::vector<TaskEpisodes> read_episodes(const fs::path& path, bool random_goals) {
  const NpzReader file(path);
  const Array table = file.read("episodes"), ends = file.read("ends"), points = file.read("points");
  std::vector<TaskEpisodes> tasks;
  for (size_t i = 0; i < table.rows(); ++i) {
    const auto e = table.row<int64_t>(i);
    const auto end = ends.row<float>(i);
    if (tasks.empty() || (!random_goals && tasks.back().name != str("task ", e[0])))
      tasks.push_back({.name = random_goals ? "random starts and goals" : str("task ", e[0])});
    EpisodePath path_of{.success = e[2] == 0};
    std::optional<Point2>& goal = random_goals ? path_of.goal : tasks.back().goal;
    if (!goal) goal = Point2{end[2], end[3]};
    for (int64_t k = 0; k <= e[4]; ++k)
      path_of.points.push_back({points.row<float>(e[3] + k)[0], points.row<float>(e[3] + k)[1]});
    tasks.back().episodes.push_back(std::move(path_of));
  }
  return tasks;
}

ReportTable success_table(const std::vector<TaskEpisodes>& tasks) {
  ReportTable table{
      .caption = "Success by task", .header = {"task", "success %", "95 % interval", "episodes"}, .rows = {}};
  size_t all = 0, good = 0;
  auto add = [&](const std::string& name, size_t successes, size_t n) {
    const Interval i = wilson(successes, n);
    char rate[16], interval[32];
    std::snprintf(rate, sizeof rate, "%.1f", 100.0 * successes / n);
    std::snprintf(interval, sizeof interval, "%.1f to %.1f", 100 * i.low, 100 * i.high);
    table.rows.push_back({name, rate, interval, std::to_string(n)});
  };
  for (const TaskEpisodes& t : tasks) {
    const size_t successes = std::ranges::count_if(t.episodes, &EpisodePath::success);
    add(t.name, successes, t.episodes.size());
    all += t.episodes.size();
    good += successes;
  }
  if (tasks.size() > 1) add("overall", good, all);
  return table;
}

ReportSection map_section(const Run& run, const Sample& sample, const Floorplan& plan, Point2 reference,
                          const fs::path& folder) {
  const size_t star = nearest_state(sample, reference);
  const std::vector<float> far = distances_from(sample, star);
  const Point2 at = sample.places[star];
  const bool pclast = run.config.train.method == "pclast";
  const std::string psi = pclast ? "Gamma" : "psi";  // the space that is planned in
  draw_heat_map(folder / "distance.png", plan, sample.places, far,
                {.title = "Distance in " + psi,
                 .caption = "from the starred state",
                 .star = at,
                 .label = str("|", psi, "(s) - ", psi, "(s*)|")});
  draw_landscape(folder / "landscape.png", plan, sample.places, far,
                 {.title = "Distance landscape",
                  .caption = str("the height is the distance in ", psi, " from the starred state"),
                  .star = at,
                  .label = "distance"});

  const size_t shown = std::min<size_t>(8, sample.psi.row_size());
  std::vector<std::vector<float>> columns(shown);
  std::vector<std::string> titles;
  for (size_t c = 0; c < shown; ++c) {
    for (size_t i = 0; i < sample.places.size(); ++i) columns[c].push_back(std::as_const(sample.psi).row<float>(i)[c]);
    char eigenvalue[40];
    std::snprintf(eigenvalue, sizeof eigenvalue, ", eigenvalue %.3g", run.model->eigenvalues[c]);
    titles.push_back(str(psi, " ", c + 1, pclast ? "" : eigenvalue));
  }
  draw_heat_maps(folder / "eigenfunctions.png", plan, sample.places, columns, titles, 4,
                 {.title = pclast ? "Functions of the map" : "Eigenfunctions", .label = psi});

  ClusterMapOptions graph{.title = str(run.graph->clusters(), " regions"),
                          .caption = str("k-means in ", psi, "; lines are passages seen in the data, rare ones pruned"),
                          .nodes = cluster_centers(sample.places, sample.labels, run.graph->clusters())};
  const auto kept = kept_neighbours(*run.graph, run.graph->top_p);
  const size_t k = run.graph->clusters();
  for (size_t a = 0; a < k; ++a)
    for (const int b : kept[a])
      if (static_cast<size_t>(b) > a)
        graph.edges.push_back({a, static_cast<size_t>(b),
                               static_cast<double>(run.graph->passages[a * k + b] + run.graph->passages[b * k + a])});
  draw_cluster_map(folder / "regions.png", plan, sample.places, sample.labels, graph);

  ReportSection section{.heading = "The map"};
  section.paragraphs = {str(
      "The representation ", psi,
      pclast ? " (PcLast) draws states together that are a few steps apart. " : " turns travel time into distance. ",
      "The first picture shows how far every state is from the starred one. The regions are what the route is "
      "planned over.")};
  for (const auto& [file, caption] :
       {std::pair{"distance.png", str("Distance in ", psi, " from the starred state")},
        {"regions.png", "Regions and passages"},
        {"landscape.png", "The same distance as a landscape"},
        {"eigenfunctions.png", pclast ? "The first functions of the map" : "The slowest eigenfunctions"}})
    section.pictures.push_back({.file = folder / file, .caption = caption});
  return section;
}

}  // namespace

void plot_run(const fs::path& folder) {
  const Run run = open_run(folder);
  const fs::path plots = folder / "plots";
  const Sample sample = sample_states(run);
  Floorplan plan;
  Point2 reference = sample.places.front();
  bool random_goals = false;
  if (find_recipe(run.config.data_name) != nullptr) {
    const auto env = make_env(run.env_name());
    plan = env->floorplan();
    random_goals = env->spec().tasks.empty();
    if (!random_goals) reference = env->spec().tasks[0].goal;
  }

  Report report{.title = run.config.data_name,
                .subtitle = str("alps ", ALPS_VERSION, ", run ", folder.filename().string())};
  ReportSection about{.heading = "The run"};
  about.facts = {{"data set", run.config.data_name},
                 {"rows", with_commas(run.config.data_rows)},
                 {"episodes in the data", with_commas(run.config.data_episodes)},
                 {"method", run.config.train.method},
                 {"preset", run.config.train.preset},
                 {"seed", std::to_string(run.config.seed)},
                 {"dimensions", std::to_string(run.model->eigenvectors())},
                 {"regions", std::to_string(run.graph->clusters())}};
  report.sections.push_back(std::move(about));
  for (const std::string& variant : variant_names()) {
    const fs::path file = folder / ("eval-" + variant + ".npz");
    if (!fs::exists(file)) continue;
    const std::vector<TaskEpisodes> tasks = read_episodes(file, random_goals);
    const fs::path picture = plots / ("episodes-" + variant + ".png");
    draw_episode_map(picture, plan, tasks, {.title = variant + " on " + run.config.data_name});
    ReportSection section{.heading = "Evaluation: " + variant, .tables = {success_table(tasks)}};
    section.pictures.push_back({.file = picture, .caption = "Every evaluated episode; green arrived, red did not"});
    report.sections.push_back(std::move(section));
  }
  report.sections.push_back(map_section(run, sample, plan, reference, plots));
  write_report(folder / "report.html", report);
}

void add_plot(CLI::App& app) {
  auto folder = std::make_shared<std::string>();
  CLI::App* verb =
      app.add_subcommand("plot", "pictures of a run (RUN/plots) and a report of one page (RUN/report.html)");
  verb->add_option("run", *folder, "run folder")->required()->type_name("RUN");
  verb->callback([=] {
    plot_run(*folder);
    std::printf("%s\n", (fs::path(*folder) / "report.html").c_str());
  });
}

}  // namespace alps::cli
