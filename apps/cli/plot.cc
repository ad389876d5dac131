// alps plot: what a run knows and did, as pictures in RUN/plots and one page, RUN/report.html.
#include "alps/collect/recipe.h"
#include "alps/world/catalog.h"
#include "cli/picture.h"
#include "cli/report_sections.h"

namespace fs = std::filesystem;

namespace alps::cli {
namespace {

constexpr size_t kStates = 200'000;  // of the data set, in the pictures
constexpr size_t kLeaps = 24;        // rows of the table of leaps

ReportSection videos_section(const fs::path& folder) {
  ReportSection section;
  for (const auto& [file, text] : {std::pair{"map.mp4", "map.mp4: what the planner thinks, seen from above"},
                                   {"video.mp4", "video.mp4: the agent, its goal above"}})
    if (fs::exists(folder / file)) section.links.emplace_back(text, file);
  if (!section.links.empty()) {
    section.heading = "Videos";
    section.paragraphs = {"Files beside this page, made by alps eval --video."};
  }
  return section;
}

}  // namespace

void plot_run(const fs::path& folder) {
  const Run run = open_run(folder);
  const Dataset data = load_for_sample(run.config.data_path, *run.model);
  std::unique_ptr<Env> env;
  if (find_recipe(run.config.data_name) != nullptr) env = make_env(run.env_name());
  const StateSample sample = sample_states(data, *run.model, *run.graph,
                                           {.states = kStates,
                                            .keep_observations = false,
                                            .psi_plane = true,
                                            .world = plane_of(env.get()),
                                            .most_leaps = kLeaps});
  Floorplan floorplan = env && env->planar() ? env->planar()->floorplan() : Floorplan{};
  floorplan.leap = sample.leap;
  const ReportSource source{.run = run,
                            .data = data,
                            .sample = sample,
                            .env = env.get(),
                            .plane = env ? env->planar() : nullptr,
                            .plan = std::move(floorplan),
                            .plots = folder / "plots"};

  const std::vector<VariantResult> results = read_results(source);
  Report report{
      .title = run.config.data_name,
      .subtitle = str("alps ", ALPS_VERSION, ", run ", fs::absolute(folder).lexically_normal().filename().string())};
  for (ReportSection& section : std::vector{
           about_section(source, results), success_section(source, results), episodes_section(source, results),
           failures_section(results), videos_section(folder), map_section(source), functions_section(source),
           leaps_section(source), training_section(source), timings_section(source, results), settings_section(source)})
    if (!section.heading.empty()) report.sections.push_back(std::move(section));
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
