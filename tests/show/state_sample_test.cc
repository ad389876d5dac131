// States of a data set as a map shows them, and places that only seem near, on data made by hand.
#include "alps/show/state_sample.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../base/temp_folder.h"
#include "../run/place_model.h"
#include "alps/base/npz.h"

namespace alps {
namespace {

ClusterGraph graph_of(std::vector<float> centers) {
  ClusterGraph graph{.dim = 2, .centers = std::move(centers)};
  graph.sizes.assign(graph.centers.size() / 2, 1);
  graph.passages.assign(graph.sizes.size() * graph.sizes.size(), 0);
  return graph;
}

constexpr size_t kEpisodes = 6, kRows = 101;

// walks of 101 rows along x; the first leaps by 40 after half of them
std::filesystem::path write_walks(const TempFolder& folder) {
  std::vector<float> observations, actions;
  Array terminals(DType::kBool, {kEpisodes * kRows});
  for (size_t e = 0; e < kEpisodes; ++e)
    for (size_t t = 0; t < kRows; ++t) {
      const bool leapt = e == 0 && t > 50;
      observations.insert(observations.end(), {0.1f * t + (leapt ? 40.0f : 0.0f), 0.05f * t});
      actions.insert(actions.end(), {0.1f, 0.0f});
      terminals.as<bool>()[e * kRows + t] = t + 1 == kRows;
    }
  const auto path = folder / "walks.npz";
  NpzWriter file(path);
  file.add("observations", Array::of<float>({kEpisodes * kRows, 2}, observations));
  file.add("actions", Array::of<float>({kEpisodes * kRows, 2}, actions));
  file.add("terminals", terminals);
  file.finish();
  return path;
}

TEST(StateSample, KnowsPlacesRegionsAndLeaps) {
  const TempFolder folder;
  const Model model = place_model({2, 0, 0, 2});
  const ClusterGraph graph = graph_of({0, 0, 20, 10, 100, 0});
  const StateSample sample = sample_states(load_for_sample(write_walks(folder), model), model, &graph, {.states = 100});
  ASSERT_EQ(sample.size(), 100u);
  EXPECT_EQ(sample.place_columns, (std::array<size_t, 2>{0, 1}));
  EXPECT_EQ(sample.plane, "columns 1 and 2 of the observation");
  for (size_t i = 0; i < sample.size(); ++i) {
    const auto psi = sample.psi.row<float>(i);
    EXPECT_NEAR(psi[0], 2 * sample.places[i].x, 1e-4);
    EXPECT_EQ(sample.labels[i], graph.nearest(psi));
    EXPECT_EQ(sample.nearest(sample.places[i]), sample.nearest(std::span<const float>(psi)));
  }
  const auto nodes = sample.nodes(graph);
  for (size_t c = 0; c < 3; ++c) EXPECT_EQ(sample.labels[nodes[c]], static_cast<int>(c));

  ASSERT_EQ(sample.leaps.size(), 1u);
  EXPECT_EQ(sample.leaps[0].count, 1u);
  EXPECT_NEAR(sample.leaps[0].from.x, 5.0, 1e-4);
  EXPECT_NEAR(sample.leaps[0].to.x, 45.1, 1e-4);
  EXPECT_EQ(sample.leaps[0].to_cluster, 2);
  EXPECT_NEAR(sample.leaps[0].from_psi[0], 10.0, 1e-4);
  EXPECT_EQ(sample.leap_count, 1u);
  ASSERT_EQ(sample.walks.size(), 7u);  // six episodes, one of them cut
  EXPECT_EQ(sample.walks[0].last, 50u);
  EXPECT_NEAR(sample.leap.x, 1.0, 1e-4);  // ten ordinary steps
  EXPECT_NEAR(sample.leap.y, 0.5, 1e-4);
}

// a joint that swings and one that turns slowly, as an arm has them; the place is in qpos, if anywhere
Dataset joints(bool with_qpos) {
  Dataset data;
  data.observation_shape = {2};
  std::vector<float> observations, qpos;
  for (size_t row = 0; row < kEpisodes * kRows; ++row) {
    observations.insert(observations.end(), {std::sin(1.7f * row), 0.01f * row});
    qpos.insert(qpos.end(), {0.1f * row, -0.2f * row, 1.0f});
    if (row % kRows == 0) data.episodes.push_back({row, row + kRows - 1});
  }
  data.observations = Array::of<float>({kEpisodes * kRows, 2}, observations);
  data.actions = Array::of<float>({kEpisodes * kRows, 1}, std::vector<float>(kEpisodes * kRows));
  if (with_qpos) data.qpos = Array::of<float>({kEpisodes * kRows, 3}, qpos);
  return data;
}

TEST(StateSample, TakesPlacesOnlyFromDataThatShowAPlane) {
  const Model model = place_model({2, 0, 0, 3});
  const ClusterGraph graph = graph_of({0, 0, 20, 10});
  const auto sample = [&](const Dataset& data, WorldPlane world, bool psi_plane) {
    return sample_states(data, model, &graph, {.states = 50, .psi_plane = psi_plane, .world = world});
  };
  // without an environment, and with one that has no plane: only psi has one
  for (const bool with_qpos : {false, true})
    for (const WorldPlane world : {WorldPlane::kUnknown, WorldPlane::kNone}) {
      EXPECT_TRUE(sample(joints(with_qpos), world, false).places.empty());
      const StateSample shown = sample(joints(with_qpos), world, true);
      EXPECT_EQ(shown.plane, "columns 1 and 2 of psi");
      EXPECT_FALSE(shown.place_columns);
      ASSERT_EQ(shown.places.size(), 50u);
      EXPECT_EQ(shown.places[7].y, shown.psi.row<float>(7)[1]);
      EXPECT_EQ(shown.leap, kNoLeaps);
    }
  // seen from above: qpos is the place, though it is not what is seen
  const StateSample planar = sample(joints(true), WorldPlane::kPlanar, true);
  EXPECT_EQ(planar.plane, "columns 1 and 2 of qpos");
  EXPECT_FALSE(planar.place_columns);
  EXPECT_NEAR(planar.places[10].y, -0.2 * static_cast<double>(planar.rows[10]), 1e-3);

  // a world without a plane keeps its own from data that would pass for one
  const TempFolder folder;
  const Dataset walks = load_for_sample(write_walks(folder), model);
  EXPECT_TRUE(sample(walks, WorldPlane::kNone, false).places.empty());
  EXPECT_FALSE(sample(walks, WorldPlane::kUnknown, false).places.empty());
  EXPECT_EQ(sample(walks, WorldPlane::kPlanar, false).plane, "columns 1 and 2 of the observation");
}

// what a method leaves that learns no representation, or one that it does not plan on
TEST(StateSample, DoesWithoutPsiAndRegions) {
  const TempFolder folder;
  Model model = place_model({2, 0, 0, 2});
  const Dataset walks = load_for_sample(write_walks(folder), model);
  const StateSample unplanned = sample_states(walks, model, nullptr, {.states = 100});
  EXPECT_TRUE(unplanned.embedded());
  EXPECT_TRUE(unplanned.labels.empty());
  ASSERT_EQ(unplanned.leaps.size(), 1u);
  EXPECT_EQ(unplanned.leaps[0].from_cluster, -1);
  EXPECT_GT(unplanned.leaps[0].psi, 0);

  model.representation = {};
  const StateSample bare = sample_states(walks, model, nullptr, {.states = 100, .psi_plane = true});
  EXPECT_FALSE(bare.embedded());
  EXPECT_TRUE(bare.labels.empty());
  EXPECT_EQ(bare.places, unplanned.places);
  EXPECT_EQ(bare.observations.rows(), 100u);
  ASSERT_EQ(bare.leaps.size(), 1u);
  EXPECT_TRUE(bare.leaps[0].from_psi.empty());
  EXPECT_EQ(bare.leaps[0].to, unplanned.leaps[0].to);
  EXPECT_EQ(bare.leap, unplanned.leap);
  // there is no plane of psi to fall back on
  const StateSample nowhere =
      sample_states(walks, model, nullptr, {.states = 100, .psi_plane = true, .world = WorldPlane::kNone});
  EXPECT_TRUE(nowhere.places.empty());
  EXPECT_EQ(nowhere.plane, "");
}

}  // namespace
}  // namespace alps
