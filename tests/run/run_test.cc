// Opening a run's folder: its networks, its graph, another number of regions, and what is said where a file is missing.
#include "alps/run/run.h"

#include <gtest/gtest.h>

#include <numeric>

#include "../base/temp_folder.h"
#include "../plan/line_world.h"
#include "alps/base/npz.h"
#include "alps/base/rng.h"
#include "alps/collect/recipe.h"
#include "alps/data/cuts.h"
#include "alps/run/profiles.h"

namespace alps {
namespace {

constexpr size_t kRows = 2000;

// walks over 0 .. 4, one of which leaps from end to end
void write_walks(const std::filesystem::path& path) {
  std::vector<float> states;
  Rng rng(1);
  double x = 2;
  for (size_t row = 0; row < kRows; ++row) {
    x = row == kRows / 4 ? 0 : std::clamp(x + rng.uniform(-0.02, 0.02), 0.0, 4.0);
    if (row == kRows / 4 + 1) x = 4;
    states.push_back(static_cast<float>(x));
  }
  Array terminals(DType::kBool, {kRows});
  std::ranges::fill(terminals.as<bool>(), false);
  terminals.as<bool>()[kRows / 2 - 1] = terminals.as<bool>()[kRows - 1] = true;
  NpzWriter file(path);
  file.add("observations", Array::of<float>({kRows, 1}, states));
  file.add("actions", Array::of<float>({kRows, 1}, std::vector<float>(kRows, 0.5f)));
  file.add("terminals", terminals);
  file.finish();
}

RunConfig write_run(const TempFolder& folder) {
  write_walks(folder / "walks.npz");
  RunConfig c;
  c.data_name = "walks";
  c.data_path = (folder / "walks.npz").string();
  c.survey.rows = kRows;
  c.profile = planning_profile();
  c.profile.add<CutSettings>("cuts");
  c.profile.set("clusters", 5, Origin::kMeasured);
  c.profile.set("jump_factor", 10.0, Origin::kPreset);
  save_run_config(folder / "", c);
  const auto model = line_model();
  model->eigenvalues_duals = {1};
  save_bundle(folder / "model.safetensors", model->bundle());
  save_graph(folder / "graph.npz", *line_graph());
  return c;
}

TEST(OpenRun, GivesWhatTheFolderHolds) {
  const TempFolder folder;
  write_run(folder);
  const alps::Run run = open_run(folder / "");
  EXPECT_EQ(run.folder, folder / "");
  EXPECT_EQ(run.config.data_name, "walks");
  EXPECT_TRUE(run.bundle->has("prior"));
  EXPECT_EQ(run.model->actions.limit, line_model()->actions.limit);
  EXPECT_EQ(run.graph->centers, line_graph()->centers);
  EXPECT_EQ(run.graph->passages, line_graph()->passages);
  // asking for the number that it has changes nothing
  EXPECT_EQ(open_run(folder / "", {.clusters = 5}).graph->passages, line_graph()->passages);
}

TEST(OpenRun, AnotherNumberOfRegionsIsCutFromTheData) {
  const TempFolder folder;
  write_run(folder);
  const alps::Run one = open_run(folder / "", {.clusters = 1});
  EXPECT_EQ(one.graph->clusters(), 1u);
  EXPECT_EQ(one.graph->sizes, (std::vector<int64_t>{kRows}));
  EXPECT_EQ(one.graph->dim, 1u);

  const alps::Run seven = open_run(folder / "", {.clusters = 7, .threads = 1});
  EXPECT_EQ(seven.graph->clusters(), 7u);
  EXPECT_EQ(std::reduce(seven.graph->sizes.begin(), seven.graph->sizes.end()), static_cast<int64_t>(kRows));
  // episodes are cut at leaps as they were in training: no passage leads from one end to the other
  const ClusterGraph& graph = *seven.graph;
  const size_t low = graph.nearest(std::vector<float>{0}), high = graph.nearest(std::vector<float>{4});
  EXPECT_EQ(graph.passages[low * 7 + high], 0);
  EXPECT_EQ(std::reduce(graph.leaps.begin(), graph.leaps.end()), 2);
  EXPECT_EQ(load_graph(folder / "graph.npz").clusters(), 5u);  // the folder stays as it is
  // the same whatever the number of threads
  EXPECT_EQ(open_run(folder / "", {.clusters = 7, .threads = 3}).graph->centers, graph.centers);
}

TEST(OpenRun, WhatIsMissingIsNamedWithARemedy) {
  const TempFolder folder;
  RunConfig c = write_run(folder);
  const auto complaint = [&] { return error_of([&] { open_run(folder / ""); }); };
  std::filesystem::remove(folder / "graph.npz");
  EXPECT_NE(complaint().find("graph.npz"), std::string::npos);
  EXPECT_NE(complaint().find("alps train " + c.data_path), std::string::npos) << complaint();
  EXPECT_NE(complaint().find("--resume"), std::string::npos);
  EXPECT_NO_THROW(open_run(folder / "", {.clusters = 1}));

  // a method that does not plan has no graph
  c.policy = "actor";
  save_run_config(folder / "", c);
  EXPECT_EQ(open_run(folder / "").graph, nullptr);
  std::filesystem::remove(folder / "model.safetensors");
  EXPECT_NE(complaint().find("model.safetensors"), std::string::npos) << complaint();
}

TEST(OpenRun, TheEnvironmentIsThatOfTheData) {
  alps::Run run{.folder = "RUN", .config = {}, .bundle = nullptr, .model = nullptr, .graph = nullptr};
  run.config.data_name = "pointmaze-medium-navigate-v0";
  EXPECT_EQ(run.env_name(), "pointmaze-medium-v0");
  run.config.data_name = "walks";
  const std::string complaint = error_of([&] { run.env_name(); });
  EXPECT_NE(complaint.find("RUN was trained on walks"), std::string::npos) << complaint;
}

}  // namespace
}  // namespace alps
