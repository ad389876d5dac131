// Trust in the search on a line whose model is right, too weak, turned round, or chance.
#include "alps/run/trust.h"

#include <gtest/gtest.h>

#include "alps/base/rng.h"
#include "line_run.h"

namespace alps {
namespace {

// random walks: each step moves the state by `gain` times the action, in units of its limit
Dataset walks(double gain, size_t length = 60) {
  Rng rng(2);
  std::vector<float> states, taken;
  Dataset data;
  data.observation_shape = {1};
  for (size_t e = 0; e < 50; ++e) {
    double x = rng.uniform(0, 4);
    for (size_t row = 0; row < length; ++row) {
      const double action = rng.uniform(-1, 1);
      states.push_back(static_cast<float>(x));
      taken.push_back(static_cast<float>(action * kLineLimit));
      x += gain * action;
    }
    data.episodes.push_back({e * length, (e + 1) * length - 1});
  }
  data.observations = Array::of<float>({states.size(), 1}, states);
  data.actions = Array::of<float>({taken.size(), 1}, taken);
  return data;
}

TEST(Trust, IsTheShareOfAnImaginedDifferenceThatComesTrue) {
  const Model model = *line_model();  // moves by kLineLimit
  const std::vector<double> right = measure_trust(model, walks(kLineLimit), 1);
  ASSERT_EQ(right.size(), 10u);
  for (const double trust : right) EXPECT_NEAR(trust, 1, 1e-3);
  EXPECT_NEAR(measure_trust(model, walks(kLineLimit), 2)[9], right[9], 0);  // whatever the number of threads

  // with the prior standing still, what the actions do is all of the difference
  Model still = model;
  still.prior = Mlp({Linear(3, 1, {0, 0, 0}, {0})});
  EXPECT_NEAR(measure_trust(still, walks(kLineLimit / 2), 1)[0], 0.5, 1e-3);
  EXPECT_NEAR(measure_trust(still, walks(-kLineLimit), 1)[9], -1, 1e-2);
  EXPECT_NEAR(measure_trust(still, walks(0), 1)[0], 0, 1e-6);
}

TEST(Trust, OfShortEpisodesAndMissingNetworks) {
  const Model model = *line_model();
  EXPECT_EQ(measure_trust(model, walks(kLineLimit, 4), 1).size(), 3u);
  EXPECT_TRUE(measure_trust(model, walks(kLineLimit, 1), 1).empty());
  Model none = model;
  none.prior = {};
  EXPECT_TRUE(measure_trust(none, walks(kLineLimit), 1).empty());
}

}  // namespace
}  // namespace alps
