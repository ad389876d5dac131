// Regions of data made by hand: walkers on a line, some of whom fall into places of their own, far away in psi.
#include "alps/run/regions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <numeric>

#include "alps/base/rng.h"
#include "alps/run/profiles.h"
#include "place_model.h"

namespace alps {
namespace {

constexpr size_t kEpisodes = 200, kRows = 100;

// walks over 0 .. 50; of the first `falls` episodes the second half is spent in a place that nobody else sees
Dataset walks(size_t falls) {
  Dataset data;
  data.path = "walks.npz";
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
  const RegionParams params{.settings = {.clusters = 24, .drop_traps = true}, .threads = 1};

  // a few traps cost little and stay
  const ClusterGraph few = make_regions(model, walks(3), params);
  EXPECT_EQ(few.clusters(), 24u);
  EXPECT_GT(far_regions(few), 0u);
  EXPECT_EQ(states(few), static_cast<int64_t>(kEpisodes * kRows));

  // many would take most of the regions: the states in traps are left out, all regions lie on the line
  const ClusterGraph many = make_regions(model, walks(60), params);
  EXPECT_EQ(many.clusters(), 24u);
  EXPECT_EQ(far_regions(many), 0u);
  EXPECT_EQ(states(many), static_cast<int64_t>(kEpisodes * kRows - 60 * kRows / 2));
  const std::vector<bool> trap = traps(many);
  EXPECT_EQ(std::ranges::count(trap, true), 0);
  EXPECT_FALSE(Router(many)
                   .route(many.nearest(std::vector<float>{0, 0}), many.nearest(std::vector<float>{50, 0}))
                   .clusters.empty());

  // the same whatever the number of threads
  EXPECT_EQ(many.centers, make_regions(model, walks(60), {.settings = params.settings, .threads = 2}).centers);
  // unless it is asked for, and with plain k-means, nothing is left out
  for (const RegionSettings& settings :
       {RegionSettings{.clusters = 24}, RegionSettings{.clusters = 24, .region_sizes = "plain", .drop_traps = true}}) {
    const ClusterGraph whole = make_regions(model, walks(60), {.settings = settings, .threads = 1});
    EXPECT_GT(far_regions(whole), 12u);
    EXPECT_EQ(states(whole), static_cast<int64_t>(kEpisodes * kRows));
  }
}

// states on a line of length 100, each of which is `way` further on when it is looked at again
int regions_on_a_line(float way) {
  std::vector<float> psi, later;
  for (int i = 0; i < 4000; ++i) {
    psi.push_back(static_cast<float>(i) / 40);
    later.push_back(psi.back() + way);
  }
  return regions_within_reach(psi, later, 1);
}

TEST(Regions, AsManyAsTheBehavioursReachAsksFor) {
  // a ball covers 0.8 ways of the line, at least half of which is new
  const int near = regions_on_a_line(1);
  EXPECT_GT(near, 100 / 0.8 * 0.95);
  EXPECT_LT(near, 2 * 100 / 0.8);
  EXPECT_NEAR(static_cast<double>(near) / regions_on_a_line(2), 2, 0.4);
  EXPECT_EQ(regions_on_a_line(1000), 16);
  EXPECT_EQ(regions_on_a_line(0.001f), 256);
  EXPECT_EQ(regions_within_reach({}, {}, 3), 16);

  // and this is the number that is used where none is given
  const Model model = place_model({1, 0, 0, 1});
  const ClusterGraph slow = make_regions(model, walks(0), {.settings = {.reach_steps = 1}, .threads = 1}),
                     fast = make_regions(model, walks(0), {.settings = {.reach_steps = 80}, .threads = 1});
  EXPECT_GT(slow.clusters(), fast.clusters());
  EXPECT_EQ(fast.clusters(), 16u);
}

TEST(Regions, FirstRowsAreSeenAndNotReached) {
  Dataset data = walks(0);
  Array states = std::move(data.observations).all();
  for (const Episode& e : data.episodes) states.as<float>()[2 * e.first + 1] = 7;
  data.observations = std::move(states);
  const ClusterGraph graph =
      make_regions(place_model({1, 0, 0, 1}), data, {.settings = {.clusters = 16}, .threads = 1});
  EXPECT_EQ(graph.high[1], 7);
  EXPECT_EQ(graph.reached_high[1], 0);
  EXPECT_EQ(graph.reached_low[1], 0);
  EXPECT_LE(graph.low[0], graph.reached_low[0]);
  EXPECT_GT(graph.reached_high[0], 45);
}

// the walkers of `walks` cover a line of length 50 by steps of 1.7, back and forth; `finer` shrinks the steps
TEST(Regions, TheNextOneIsFurtherInStepsWhereTheDataAreSlow) {
  const Model model = place_model({1, 0, 0, 1});
  EXPECT_EQ(steps_to_next_region(model, walks(0), 1), 25);
  Dataset slow = walks(0);
  // each walk goes evenly over a hundredth of the line: 25 steps are a four hundredth of it
  std::vector<float> states;
  Rng rng(2);
  constexpr size_t kLong = 1000;
  slow.episodes.clear();
  for (size_t e = 0; e < 100; ++e) {
    const double start = rng.uniform(0, 49.5);
    for (size_t t = 0; t < kLong; ++t) states.insert(states.end(), {static_cast<float>(start + 0.0005 * t), 0});
    slow.episodes.push_back({e * kLong, (e + 1) * kLong - 1});
  }
  slow.observations = Array::of<float>({100 * kLong, 2}, states);
  const int steps = steps_to_next_region(model, slow, 1);
  // fewer than 1,024 balls on the two thirds of the line that anybody sees; each covers 0.8 ways, half of that anew
  EXPECT_GT(steps, 0.6 * 50 * 0.95 / 1024 / 0.8 / 0.0005);
  EXPECT_LT(steps, 2 * std::numbers::sqrt2 * 0.7 * 50 / 1024 / 0.8 / 0.0005);
  EXPECT_EQ(steps, steps_to_next_region(model, slow, 2));

  // which the planner waits for, and the user's word stands
  Profile profile = planning_profile();
  profile.parse("doubt=7");
  measure_map(profile, "fast", model, slow, 1);
  EXPECT_EQ(profile.at("reach_steps").text(), str(steps));
  EXPECT_EQ(profile.at("reach_steps").origin, Origin::kMeasured);
  EXPECT_EQ(profile.at("patience").text(), str(4 * steps));
  EXPECT_EQ(profile.at("doubt").text(), "7");
  Profile paper = planning_profile();
  measure_map(paper, "paper", model, slow, 1);
  EXPECT_EQ(paper.at("reach_steps").text(), "25");
}

TEST(Regions, DoNotDependOnTheScaleOfPsi) {
  const auto count = [](float scale) {
    std::vector<float> psi, later;
    for (int i = 0; i < 4000; ++i) {
      psi.push_back(scale * static_cast<float>(i));
      later.push_back(psi.back() + 40 * scale);
    }
    return regions_within_reach(psi, later, 1);
  };
  EXPECT_GT(count(1), 80);
  EXPECT_EQ(count(1.0f / 4096), count(1));
  EXPECT_EQ(count(4096), count(1));
}

}  // namespace
}  // namespace alps
