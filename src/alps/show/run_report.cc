#include "alps/show/run_report.h"

#include "alps/base/version.h"
#include "alps/collect/recipe.h"
#include "alps/show/report_sections.h"
#include "alps/world/catalog.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

constexpr size_t kStates = 200'000;  // of the data set, in the pictures
constexpr size_t kLeaps = 24;        // rows of the table of leaps

ReportSection videos_section(const Run& run) {
  ReportSection section;
  const char* map = run.graph ? "map.mp4: episodes seen from above, and what the planner thinks"
                              : "map.mp4: episodes seen from above";
  for (const auto& [file, text] : {std::pair{"map.mp4", map}, {"video.mp4", "video.mp4: the agent, its goal above"}})
    if (fs::exists(run.folder / file)) section.links.emplace_back(text, file);
  if (!section.links.empty()) {
    section.heading = "Videos";
    section.paragraphs = {"Files beside this page, made by alps eval --video or alps plot --video."};
  }
  return section;
}

}  // namespace

fs::path write_run_report(const fs::path& folder) {
  const Run run = open_run(folder);
  const Dataset data = load_for_sample(run.config.data_path, *run.model);
  std::unique_ptr<Env> env;
  if (find_recipe(run.config.data_name) != nullptr) env = make_env(run.env_name());
  const StateSample sample = sample_states(data, *run.model, run.graph.get(),
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
                            .plots = folder / "plots",
                            .space = space_name(run)};

  const std::vector<VariantResult> results = read_results(source);
  Report report{.title = run.config.data_name,
                .subtitle = str("alps " ALPS_VERSION_STRING ", run ",
                                fs::absolute(folder).lexically_normal().filename().string())};
  for (ReportSection& section :
       std::vector{about_section(source, results), success_section(source, results), episodes_section(source, results),
                   failures_section(results), videos_section(run), map_section(source), value_section(source),
                   functions_section(source), leaps_section(source), training_section(source), check_section(source),
                   timings_section(source, results), settings_section(source)})
    if (!section.heading.empty()) report.sections.push_back(std::move(section));
  write_report(folder / "report.html", report);
  return folder / "report.html";
}

}  // namespace alps
