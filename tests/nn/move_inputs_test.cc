#include "alps/nn/move_inputs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "alps/base/error.h"

namespace alps {
namespace {

// state: hand, thing 1, a button, thing 2; both things follow the hand, thing 2 in other units and from elsewhere
MoveInputs two_things() {
  MoveInputs in;
  in.sizes = {1, 1, 1};
  in.columns = {1, 2, 3};
  in.leader = {0, -1, 0};
  in.slope = {1, 0, 2};
  in.offset = {0, 0, 0.5f};
  in.pause = 10;
  return in;
}

TEST(MoveInputs, WhatTheMoverSees) {
  const MoveInputs in = two_things();
  const std::vector<float> state = {0.3f, 0.2f, 1, -1};
  std::vector<float> out(in.size(4));
  in.fill(state, 2, std::vector<float>{0.5f}, 4, out.data());
  const float lead = 0.3f - 2 * -1 - 0.5f;
  const std::vector<float> expected = {0.3f, 0.2f, 1, -1, 0, 0, 1, 0, 0, 1.5f, 0, 0, lead, 0, 0, std::tanh(5 * lead),
                                       0.4f};
  ASSERT_EQ(out.size(), expected.size());
  for (size_t i = 0; i < out.size(); ++i) EXPECT_FLOAT_EQ(out[i], expected[i]) << i;
  in.fill(state, 1, std::vector<float>{0}, 99, out.data());
  EXPECT_EQ(out[8], -1);     // its way
  EXPECT_EQ(out[11], 0);     // nothing leads a button
  EXPECT_EQ(out.back(), 1);  // long ago is `pause` ago
}

TEST(MoveInputs, OutcomesSeeThingsInTheFrameOfTheirLeader) {
  const MoveInputs in = two_things();
  const std::vector<float> values = {0.2f, 1, -1};
  std::vector<float> out(in.outcome_size());
  // thing 1 to where thing 2 is: 2 * -1 + 0.5 in the hand's frame
  in.fill_outcome(values, 0, std::vector<float>{-1.5f}, out.data());
  const size_t way = 6, there = 9, here = 15, nearness = 21;
  EXPECT_FLOAT_EQ(out[way], -1.7f);
  EXPECT_FLOAT_EQ(out[there + 2], 0);
  EXPECT_FLOAT_EQ(out[here + 2], 1.7f);
  EXPECT_FLOAT_EQ(out[nearness + 2], 1);        // both in one place
  EXPECT_NEAR(out[nearness + 3 + 2], 0, 1e-6);  // far from each other now
  EXPECT_EQ(out[nearness + 1], 0);              // a button is in no frame
}

TEST(MoveInputs, GoThroughTheBundleAndDamageIsTold) {
  Bundle bundle;
  bundle.vectors["normalizer.mean"] = {0, 0, 0, 0};
  two_things().store(bundle);
  const MoveInputs again(bundle);
  EXPECT_EQ(again.columns, two_things().columns);
  EXPECT_EQ(again.leader, two_things().leader);
  EXPECT_EQ(again.pause, 10);
  for (const auto& [name, wrong] : std::map<std::string, std::vector<float>>{
           {"mover.sizes", {1, 1}}, {"mover.columns", {1, 2, 4}}, {"mover.leader", {0, 4, 0}}, {"mover.slope", {1}}}) {
    Bundle damaged = bundle;
    damaged.vectors[name] = wrong;
    EXPECT_THROW(MoveInputs{damaged}, Error) << name;
  }
}

}  // namespace
}  // namespace alps
