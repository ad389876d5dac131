// Where imagined states are: read from the state, or found through psi.
#include "alps/show/places.h"

#include <gtest/gtest.h>

#include "../run/place_model.h"

namespace alps {
namespace {

TEST(Places, AreReadFromTheStateOrFoundThroughPsi) {
  Model model = place_model({2, 0, 0, 2});
  model.mean = {10, 20};
  model.deviation = {2, 4};
  StateSample sample;
  sample.rows = {0, 1, 2};
  sample.psi = Array::of<float>({3, 2}, std::vector<float>{0, 0, 2, 2, 8, 8});
  sample.places = {{100, 1}, {200, 2}, {300, 3}};

  // normalized states (1, 1) and (3, 4): psi (2, 2) and (6, 8)
  const std::vector<float> states = {1, 1, 3, 4};
  EXPECT_EQ(places_of(model, sample, states), (std::vector<Point2>{{200, 2}, {300, 3}}));
  sample.place_columns = {0, 1};
  EXPECT_EQ(places_of(model, sample, states), (std::vector<Point2>{{12, 24}, {16, 36}}));
  EXPECT_TRUE(places_of(model, sample, {}).empty());
}

}  // namespace
}  // namespace alps
