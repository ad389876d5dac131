#include "alps/run/run.h"

#include "alps/collect/recipe.h"
#include "alps/data/cuts.h"
#include "alps/run/regions.h"

namespace fs = std::filesystem;

namespace alps {

std::string Run::env_name() const {
  if (const Recipe* known = find_recipe(config.data_name)) return known->env;
  throw Error(folder.string(), " was trained on ", config.data_name,
              ", which belongs to no environment of the catalogue; use alps plan or the library");
}

namespace {

ClusterGraph cut_map(const Run& run, const RunOptions& options) {
  const Dataset data =
      load_dataset(run.config.data_path,
                   {.state = false, .cuts = run.config.settings<CutSettings>().cuts(), .threads = options.threads});
  RegionSettings settings = run.config.settings<RegionSettings>();
  settings.clusters = options.clusters;
  return make_regions(*run.model, data, {.settings = settings, .threads = options.threads});
}

}  // namespace

Run open_run(const fs::path& folder, const RunOptions& options) {
  Run run{.folder = folder, .config = load_run_config(folder), .bundle = nullptr, .model = nullptr, .graph = nullptr};
  run.bundle = std::make_shared<Bundle>(load_bundle(folder));
  run.model = std::make_shared<Model>(*run.bundle);
  if (run.config.policy != "planner") return run;
  const fs::path path = folder / "graph.npz";
  if (options.clusters == 1) {
    run.graph = std::make_shared<ClusterGraph>(one_region(*run.model, run.config.survey.rows));
  } else if (options.clusters > 0 && run.config.settings<RegionSettings>().clusters != options.clusters) {
    run.graph = std::make_shared<ClusterGraph>(cut_map(run, options));
  } else {
    if (!fs::exists(path))
      throw Error(path.string(), ": no such file; make it from the data set with: alps train ", run.config.data_path,
                  " --out ", folder.string(), " --resume");
    run.graph = std::make_shared<ClusterGraph>(load_graph(path));
  }
  return run;
}

}  // namespace alps
