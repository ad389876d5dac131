// Advice on data with a known fault, and on runs whose map, model and regions are made by hand.
#include "alps/run/check.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../base/temp_folder.h"
#include "../plan/line_world.h"
#include "alps/base/npz.h"
#include "alps/base/rng.h"
#include "alps/plan/planner_settings.h"
#include "alps/run/check_parts.h"
#include "alps/run/coverage.h"
#include "alps/run/one_step.h"
#include "alps/run/profiles.h"
#include "line_run.h"

namespace alps {
namespace {

constexpr size_t kLength = 400;

Finding of(const std::vector<Finding>& all, const std::string& what) {
  for (const Finding& f : all)
    if (f.what == what) return f;
  return {};
}

Dataset of_rows(size_t columns, const std::vector<float>& states, const std::vector<float>& taken, size_t length) {
  const size_t rows = states.size() / columns;
  Dataset data;
  data.observation_shape = {columns};
  data.observations = Array::of<float>({rows, columns}, states);
  data.actions = Array::of<float>({rows, taken.size() / rows}, taken);
  for (size_t first = 0; first < rows; first += length) data.episodes.push_back({first, first + length - 1});
  return data;
}

// a ball with momentum on a line; with its velocity, or without
Dataset ball(bool velocity, double noise = 0) {
  Rng rng(4);
  std::vector<float> states, taken;
  for (size_t e = 0; e < 40; ++e) {
    double x = rng.uniform(-1, 1), v = 0;
    for (size_t row = 0; row < kLength; ++row) {
      const double a = rng.uniform(-1, 1);
      states.push_back(static_cast<float>(x));
      if (velocity) states.push_back(static_cast<float>(v));
      taken.push_back(static_cast<float>(a));
      x += v + noise * rng.normal();
      v = 0.95 * v + 0.01 * a;
    }
  }
  return of_rows(velocity ? 2 : 1, states, taken, kLength);
}

TEST(OneStep, AMissingVelocityIsFound) {
  const OneStepError whole = one_step_error(ball(true)), lacking = one_step_error(ball(false));
  ASSERT_EQ(whole.columns.size(), 2u);
  ASSERT_EQ(lacking.columns.size(), 1u);
  EXPECT_LT(whole.now[0], 0.01);
  EXPECT_GT(lacking.now[0], 0.5);
  EXPECT_LT(lacking.with_past[0], 0.05);
  EXPECT_EQ(of(check_data(ball(true)), "Markov").mark, Mark::kGood);
  const Finding f = of(check_data(ball(false)), "Markov");
  EXPECT_EQ(f.mark, Mark::kBad);
  EXPECT_NE(f.advice.find("velocities"), std::string::npos);
}

TEST(OneStep, NoiseIsNotTakenForAMissingColumn) {
  const auto found = check_data(ball(true, 0.2));
  EXPECT_EQ(of(found, "Markov").mark, Mark::kGood) << of(found, "Markov").value;
  const OneStepError e = one_step_error(ball(true, 0.2));
  EXPECT_GT(e.now[0], 0.5);
  EXPECT_LT(e.now[1], 0.01);
}

TEST(OneStep, TooFewStepsSayNothing) {
  EXPECT_TRUE(one_step_error(of_rows(1, {0, 1, 2, 3}, {0, 0, 0, 0}, 4)).columns.empty());
}

TEST(Coverage, EpisodesThatMeetAndEpisodesThatDoNot) {
  Rng rng(5);
  std::vector<float> together, apart;
  for (size_t e = 0; e < 20; ++e)
    for (size_t row = 0; row < kLength; ++row) {
      const float along = static_cast<float>(row) / kLength;
      together.insert(together.end(), {along, static_cast<float>(rng.uniform(0, 0.01))});
      apart.insert(apart.end(), {along, static_cast<float>(e)});
    }
  const std::vector<float> taken(20 * kLength, 0.5f);
  const Coverage meet = measure_coverage(of_rows(2, together, taken, kLength));
  EXPECT_LT(meet.lonely, 0.1);
  EXPECT_GT(meet.episodes, 10);
  const Dataset lonely = of_rows(2, apart, taken, kLength);
  EXPECT_EQ(of(check_data(lonely), "coverage").mark, Mark::kGood);  // its places are along the line, which all share
}

TEST(CheckParts, RankCorrelation) {
  const std::vector<double> a = {1, 2, 3, 4, 5}, b = {10, 20, 25, 100, 1000}, c = {5, 4, 3, 2, 1}, d = {1, 1, 1, 1, 1};
  EXPECT_DOUBLE_EQ(rank_correlation(a, b), 1);
  EXPECT_DOUBLE_EQ(rank_correlation(a, c), -1);
  EXPECT_DOUBLE_EQ(rank_correlation(a, d), 0);
  // scipy.stats.spearmanr([1, 2, 2, 3, 9], [2, 1, 5, 5, 4])
  const std::vector<double> x = {1, 2, 2, 3, 9}, y = {2, 1, 5, 5, 4};
  EXPECT_NEAR(rank_correlation(x, y), 0.3947368421052632, 1e-12);
}

TEST(CheckParts, PassagesAreCountedInTheirDirection) {
  ClusterGraph graph = *line_graph();
  EXPECT_EQ(passages_from(graph, 0), (std::vector<int>{0, 1, 2, 3, 4}));
  graph.passages[3 * 5 + 2] = 0;  // 3 leads to 4 only
  EXPECT_EQ(passages_from(graph, 4), (std::vector<int>{-1, -1, -1, 1, 0}));
  EXPECT_EQ(of(check_regions(*line_graph()), "regions").mark, Mark::kGood);
  graph.passages[4 * 5 + 3] = 0;  // and 4 nowhere
  const Finding f = of(check_regions(graph), "regions");
  EXPECT_EQ(f.mark, Mark::kLook);
  EXPECT_NE(f.value.find("without exits: 4"), std::string::npos) << f.value;
}

// walks over the line as its model has them: 0.4 times the action, from end to end and back
Dataset line_walks(double gain = kLineLimit) {
  std::vector<float> states, taken;
  Rng rng(6);
  for (size_t e = 0; e < 20; ++e) {
    double x = rng.uniform(0, 4), way = e % 2 ? 1 : -1;
    for (size_t row = 0; row < kLength; ++row) {
      if (x > 3.9) way = -1;
      if (x < 0.1) way = 1;
      const double u = 0.1 * way + 0.02 * rng.normal();
      states.push_back(static_cast<float>(x));
      taken.push_back(static_cast<float>(u * kLineLimit));
      x += gain * u;
    }
  }
  return of_rows(1, states, taken, kLength);
}

Run checked_run() {
  Run run = line_run();
  run.config.profile = planning_profile();
  run.config.profile.set("horizon", 10, Origin::kUser);
  return run;
}

TEST(CheckRun, AGoodRunOnItsData) {
  const Dataset data = line_walks();
  const auto found = check_run(checked_run(), &data);
  for (const char* what : {"psi and time, in an episode", "psi and time, between episodes", "model error on the map",
                           "model error in the state", "search", "prior", "regions"})
    EXPECT_EQ(of(found, what).mark, Mark::kGood) << what << ": " << of(found, what).value;
  EXPECT_EQ(of(found, "reach of the data").value, "not known");  // as in runs of older versions
  // the same again
  EXPECT_EQ(findings_json(found), findings_json(check_run(checked_run(), &data, 1)));
}

TEST(CheckRun, AMapThatDoesNotFollowTimeAndAModelThatIsWrong) {
  auto run = checked_run();
  auto model = line_model();
  model->representation = Mlp({Linear(1, 1, {0}, {0})});
  const Dataset back = line_walks(-kLineLimit);  // the model moves the other way
  const auto found = check_run(checked_run(), &back);
  EXPECT_EQ(of(found, "model error on the map").mark, Mark::kBad) << of(found, "model error on the map").value;
  EXPECT_EQ(of(found, "model error in the state").mark, Mark::kBad);
  EXPECT_NE(of(found, "search").mark, Mark::kGood) << of(found, "search").value;

  run.model = model;  // 0 wherever it is: no distance at all
  const Dataset data = line_walks();
  EXPECT_EQ(of(check_run(run, &data), "psi and time, in an episode").mark, Mark::kBad);
}

TEST(CheckRun, WithoutItsDataOnlyTheRegionsAreLookedAt) {
  const auto found = check_run(checked_run(), nullptr);
  EXPECT_EQ(of(found, "data set").mark, Mark::kLook);
  EXPECT_FALSE(of(found, "regions").what.empty());
  EXPECT_TRUE(of(found, "prior").what.empty());
}

TEST(CheckPath, WhatIsNotThere) {
  const TempFolder folder;
  EXPECT_THROW(check((folder / "none.npz").string()), Error);
  EXPECT_THROW(check((folder / "").string()), Error);  // a folder that holds no run
}

TEST(CheckData, ImagesThatTheConvolutionsCannotTake) {
  Dataset data;
  data.observation_dtype = DType::kUInt8;
  data.observation_shape = {64, 64, 3};
  EXPECT_TRUE(check_image_shape(data).empty());
  data.observation_shape = {13, 17, 3};
  ASSERT_EQ(check_image_shape(data).size(), 1u);
  EXPECT_EQ(check_image_shape(data)[0].mark, Mark::kBad);
  EXPECT_NE(check_image_shape(data)[0].meaning.find("36 x 36 at least"), std::string::npos);
  data.observation_shape = {3, 64, 64};
  EXPECT_NE(check_image_shape(data)[0].advice.find("moveaxis"), std::string::npos);
}

}  // namespace
}  // namespace alps
