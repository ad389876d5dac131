// alps demo: the main job on an embedded default, from nothing to pictures.
#include <filesystem>

#include "alps/base/interrupt.h"
#include "alps/base/progress.h"
#include "alps/collect/collect.h"
#include "alps/data/dataset.h"
#include "cli/picture.h"
#include "cli/verbs.h"

namespace fs = std::filesystem;

namespace alps::cli {
namespace {

constexpr const char* kName = "pointmaze-medium-navigate-v0";

struct DemoArgs {
  std::string out = "runs/demo", data_dir;
};

void demo(const DemoArgs& args) {
  const fs::path out = args.out;
  const fs::path path = dataset_path(kName, args.data_dir);
  std::printf("1. data: %s\n", kName);
  if (!fs::exists(path)) {
    Progress progress("   making it in the native environment", "steps");
    make_dataset(recipe(kName), path, {}, [&](size_t done, size_t total) {
      throw_if_interrupted();
      progress.update(done, total);
    });
  }
  const Dataset data = load_dataset(path);
  std::printf("   %s: %s rows in %s episodes, checks passed\n", path.c_str(), with_commas(data.rows()).c_str(),
              with_commas(data.episodes.size()).c_str());
  for (const std::string& warning : data.warnings) std::fprintf(stderr, "alps: warning: %s\n", warning.c_str());

  std::printf("2. picture: 20 of its trajectories\n");
  for (const char* file : {"data.png", "data.svg"}) draw_dataset(path, out / file);
  std::printf("   %s\n", (out / "data.png").c_str());
}

}  // namespace

void add_demo(CLI::App& app) {
  auto args = std::make_shared<DemoArgs>();
  CLI::App* verb = app.add_subcommand("demo", "make a data set, check it and draw it");
  verb->add_option("--out", args->out, "folder of the demo's files")->capture_default_str();
  verb->add_option("--data_dir", args->data_dir, "folder of the data sets (default ~/.ogbench/data)");
  verb->callback([=] { demo(*args); });
}

}  // namespace alps::cli
