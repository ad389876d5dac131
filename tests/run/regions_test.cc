// Regions of data made by hand: walkers on a line, some of whom fall into places of their own, far away in psi.
#include "alps/run/regions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "alps/base/rng.h"
#include "place_model.h"

namespace alps {
namespace {

constexpr size_t kEpisodes = 200, kRows = 100;

// walks over 0 .. 50; of the first `falls` episodes the second half is spent in a place that nobody else sees
Dataset walks(const std::string& name, size_t falls) {
  Dataset data;
  data.path = name + ".npz";
  data.observation_shape = {2};
  std::vector<float> states;
  Rng rng(1);
  for (size_t e = 0; e < kEpisodes; ++e) {
    double x = rng.uniform(0, 50);
    for (size_t t = 0; t < kRows; ++t) {
      const bool fallen = e < falls && t >= kRows / 2;
      if (!fallen) x = std::clamp(x + rng.uniform(-3, 3), 0.0, 50.0);
      const float far = fallen ? 1000.0f + 30 * static_cast<float>(e) : 0.0f;
      states.insert(states.end(), {static_cast<float>(x), far});
    }
    data.episodes.push_back({e * kRows, (e + 1) * kRows - 1});
  }
  const size_t rows = kEpisodes * kRows;
  data.observations = Array::of<float>({rows, 2}, states);
  data.actions = Array::of<float>({rows, 1}, std::vector<float>(rows));
  return data;
}

size_t far_regions(const ClusterGraph& graph) {
  size_t far = 0;
  for (size_t c = 0; c < graph.clusters(); ++c) far += graph.center(c)[1] > 100;
  return far;
}

int64_t states(const ClusterGraph& graph) { return std::reduce(graph.sizes.begin(), graph.sizes.end()); }

TEST(Regions, WhereManyFallTheMapIsCutWithoutThem) {
  const Model model = place_model({1, 0, 0, 1});
  const RegionParams params{.clusters = 24, .threads = 1};

  // a few traps cost little and stay
  const ClusterGraph few = make_regions(model, walks("antmaze-line-explore-v0", 3), params);
  EXPECT_EQ(few.clusters(), 24u);
  EXPECT_GT(far_regions(few), 0u);
  EXPECT_EQ(states(few), static_cast<int64_t>(kEpisodes * kRows));

  // many would take most of the regions: the states in traps are left out, all regions lie on the line
  const ClusterGraph many = make_regions(model, walks("antmaze-line-explore-v0", 60), params);
  EXPECT_EQ(many.clusters(), 24u);
  EXPECT_EQ(far_regions(many), 0u);
  EXPECT_EQ(states(many), static_cast<int64_t>(kEpisodes * kRows - 60 * kRows / 2));
  const std::vector<bool> trap = traps(many);
  EXPECT_EQ(std::ranges::count(trap, true), 0);
  EXPECT_FALSE(Router(many)
                   .route(many.nearest(std::vector<float>{0, 0}), many.nearest(std::vector<float>{50, 0}))
                   .clusters.empty());

  // the same whatever the number of threads; a point cannot fall, and rooms that few walk to are no traps
  EXPECT_EQ(many.centers,
            make_regions(model, walks("antmaze-line-explore-v0", 60), {.clusters = 24, .threads = 2}).centers);
  for (const char* name : {"pointmaze-line-explore-v0", "antmaze-line-navigate-v0"}) {
    const ClusterGraph whole = make_regions(model, walks(name, 60), params);
    EXPECT_GT(far_regions(whole), 12u);
    EXPECT_EQ(states(whole), static_cast<int64_t>(kEpisodes * kRows));
  }
}

TEST(Regions, AsManyAsTheDataSetWants) {
  EXPECT_EQ(default_clusters("pointmaze-medium-navigate-v0", 1), 64);
  EXPECT_EQ(default_clusters("pointmaze-large-stitch-v0", 1), 96);
  EXPECT_EQ(default_clusters("antmaze-large-stitch-v0", 1), 192);
  EXPECT_EQ(default_clusters("antmaze-teleport-stitch-v0", 1), 96);
  EXPECT_EQ(default_clusters("antmaze-medium-explore-v0", 1), 128);
  EXPECT_EQ(default_clusters("antmaze-teleport-explore-v0", 1), 256);
  EXPECT_EQ(default_clusters("humanoidmaze-giant-stitch-v0", 1), 512);
  EXPECT_EQ(default_clusters("cube-single-play-v0", 1), 8);
  EXPECT_EQ(default_clusters("visual-maze2d-rooms-random-v0", 1), 16);
  EXPECT_EQ(default_clusters("mine", 64000), 40);
  EXPECT_EQ(default_clusters("mine", 10), 4);
}

}  // namespace
}  // namespace alps
