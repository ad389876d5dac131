// How much of the actions the place tells, on a line: all where actions are moves, nothing where they are not.
#include "alps/run/detail_need.h"

#include <gtest/gtest.h>

#include "alps/base/rng.h"
#include "line_run.h"

namespace alps {
namespace {

// each step moves the state by `gain` times the action, and by noise
Dataset walks(double gain, double noise, size_t episodes = 100) {
  constexpr size_t kLength = 60;
  Rng rng(2);
  std::vector<float> states, taken;
  Dataset data;
  data.observation_shape = {1};
  for (size_t e = 0; e < episodes; ++e) {
    double x = rng.uniform(0, 4);
    for (size_t row = 0; row < kLength; ++row) {
      const double action = rng.uniform(-1, 1);
      states.push_back(static_cast<float>(x));
      taken.push_back(static_cast<float>(action * kLineLimit));
      x += gain * action + noise * rng.uniform(-1, 1);
    }
    data.episodes.push_back({e * kLength, (e + 1) * kLength - 1});
  }
  data.observations = Array::of<float>({states.size(), 1}, states);
  data.actions = Array::of<float>({taken.size(), 1}, taken);
  return data;
}

TEST(DetailNeed, PlaceTellsActionsThatAreMoves) {
  const Model model = *line_model();
  EXPECT_GT(action_share(model, walks(0.1, 0), 1), 0.99);
  EXPECT_NEAR(action_share(model, walks(0.1, 0.1), 1), 0.5, 0.1);  // half of the move is noise
  EXPECT_LT(action_share(model, walks(0, 0.1), 1), 0.05);
  EXPECT_EQ(action_share(model, walks(0.1, 0.1), 2), action_share(model, walks(0.1, 0.1), 1));
  EXPECT_LT(action_share(model, walks(0.1, 0, 5), 1), 0);  // too few to tell
}

}  // namespace
}  // namespace alps
