#include "alps/run/run.h"

#include "alps/collect/recipe.h"

namespace fs = std::filesystem;

namespace alps {

std::string Run::env_name() const {
  if (const Recipe* known = find_recipe(config.data_name)) return known->env;
  throw Error(folder.string(), " was trained on ", config.data_name,
              ", which belongs to no environment of the catalogue; use alps plan or the library");
}

namespace {

std::shared_ptr<const ClusterGraph> cut_map(const RunConfig& config, const Model& model, const RegionParams& regions) {
  const bool image = !model.trunk.empty();  // images stay on disk, make_regions passes over them
  const Dataset data =
      load_dataset(config.data_path,
                   {.observations = !image, .state = false, .cuts = config.train.cuts(), .threads = regions.threads});
  return std::make_shared<ClusterGraph>(make_regions(model, data, regions));
}

}  // namespace

std::shared_ptr<const ClusterGraph> rebuild_graph(const fs::path& folder, const RunConfig& config, const Model& model,
                                                  const RegionParams& regions) {
  auto graph = cut_map(config, model, regions);
  save_graph(folder / "graph.npz", *graph);
  return graph;
}

Run open_run(const fs::path& folder, const RegionParams& regions) {
  Run run{.folder = folder,
          .config = load_run_config(folder),
          .model = std::make_shared<Model>(load_model(folder)),
          .graph = nullptr};
  if (regions.clusters == 1) {
    run.graph = std::make_shared<ClusterGraph>(one_region(*run.model, run.config.data_rows));
    return run;
  }
  run.graph = std::make_shared<ClusterGraph>(load_graph(folder / "graph.npz"));
  const bool other = regions.clusters > 0 && static_cast<size_t>(regions.clusters) != run.graph->clusters();
  if (other) run.graph = cut_map(run.config, *run.model, regions);
  return run;
}

}  // namespace alps
