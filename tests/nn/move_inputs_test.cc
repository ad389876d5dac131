#include "alps/nn/move_inputs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "alps/base/error.h"

namespace alps {
namespace {

// state: hand, thing 1, a button, thing 2 with its speed; both things follow the hand, thing 2 in other units and from
// elsewhere
MoveInputs two_things() {
  MoveInputs in;
  in.sizes = {1, 1, 1};
  in.columns = {1, 2, 3};
  in.things = {{1}, {2}, {3, 4}};
  in.leader = {0, -1, 0};
  in.slope = {1, 0, 2};
  in.offset = {0, 0, 0.5f};
  in.pause = 10;
  return in;
}

TEST(MoveInputs, WhatTheMoverSees) {
  const MoveInputs in = two_things();
  const std::vector<float> state = {0.3f, 0.2f, 1, -1, 0.7f};
  std::vector<float> out(in.size(5));
  in.fill(state, 2, std::vector<float>{-1.5f}, std::vector<float>{0.5f}, 4, out.data());
  const float lead = 0.3f - 2 * -1 - 0.5f;
  const std::vector<float> expected = {
      0.3f, 0.2f, 1, 0, 0, 0, 0, 1, -1, 0.7f, 1.5f, lead, std::tanh(5 * lead), 0.5f, std::tanh(2.5f), 0.4f};
  ASSERT_EQ(out.size(), expected.size());
  for (size_t i = 0; i < out.size(); ++i) EXPECT_FLOAT_EQ(out[i], expected[i]) << i;

  // another thing in the same place
  in.fill(state, 1, std::vector<float>{1}, std::vector<float>{0}, 99, out.data());
  const std::vector<float> button = {0.3f, 0.2f, 0, -1, 0.7f, 0, 1, 0, 1, 0, -1, 0, 0, 0, 0, 1};
  for (size_t i = 0; i < out.size(); ++i) EXPECT_FLOAT_EQ(out[i], button[i]) << i;
}

TEST(MoveInputs, AHandInLineWithACubeIsSeenWhicheverSideItTakes) {
  // state: the hand's angle, the cube's place and angle; cosines and sines in other units
  MoveInputs in;
  in.sizes = {1};
  in.columns = {2};
  in.things = {{2, 3, 4}};
  in.leader = {-1};
  in.slope = in.offset = {0};
  in.set_angles({0, 3}, {0.1f, 0, 0, 0, 0.2f}, {2, 1, 1, 0.5f, 1});
  const auto seen = [&](float hand, float cube) {
    std::vector<float> out(in.size(5));
    const std::vector<float> state = {(std::cos(hand) - 0.1f) / 2, std::sin(hand), 0, std::cos(cube) / 0.5f,
                                      std::sin(cube) - 0.2f};
    in.fill(state, 0, std::vector<float>{0}, std::vector<float>{0}, 0, out.data());
    return std::vector<float>(out.end() - 7, out.end() - 1);
  };
  const std::vector<float> one = seen(1.0f, 0.7f), quarter = seen(1.0f + 1.5707963f, 0.7f);
  for (const int n : {0, 1, 2}) {
    EXPECT_NEAR(one[2 * n], std::cos(0.3f * (1 << n)), 1e-5) << n;
    EXPECT_NEAR(one[2 * n + 1], std::sin(0.3f * (1 << n)), 1e-5) << n;
  }
  EXPECT_NEAR(one[4], quarter[4], 1e-5);
  EXPECT_NEAR(one[5], quarter[5], 1e-5);
}

TEST(MoveInputs, OutcomesSeeThingsInTheFrameOfTheirLeader) {
  const MoveInputs in = two_things();
  const std::vector<float> values = {0.2f, 1, -1};
  std::vector<float> out(in.outcome_size());
  // thing 1 to where thing 2 is: 2 * -1 + 0.5 in the hand's frame
  in.fill_outcome(values, 0, std::vector<float>{-1.5f}, 2, out.data());
  const float away = std::tanh(5 * 1.7f);
  const std::vector<float> expected = {1, 0, 0, 0, 0, 1, 0.2f, -1.7f, -1, 0, 0, 1.7f, away, 1, 0};
  ASSERT_EQ(out.size(), expected.size());
  for (size_t i = 0; i < out.size(); ++i) EXPECT_NEAR(out[i], expected[i], 1e-6) << i;

  // a button is in no frame, and a thing beside itself is alone
  in.fill_outcome(values, 0, std::vector<float>{-1.5f}, 1, out.data());
  const std::vector<float> button = {1, 0, 0, 0, 1, 0, 0.2f, -1.7f, 1, 0, 0, 0, 0, 0, 0};
  for (size_t i = 0; i < out.size(); ++i) EXPECT_NEAR(out[i], button[i], 1e-6) << i;
  in.fill_outcome(values, 0, std::vector<float>{-1.5f}, 0, out.data());
  const std::vector<float> alone = {1, 0, 0, 1, 0, 0, 0.2f, -1.7f, 0, 0, 0, 0, 0, 0, 0};
  for (size_t i = 0; i < out.size(); ++i) EXPECT_NEAR(out[i], alone[i], 1e-6) << i;
  EXPECT_EQ(in.absolute(out.data()).size(), 3u);
  EXPECT_EQ(in.absolute(out.data())[1], -1.7f);
}

TEST(MoveInputs, GoThroughTheBundleAndDamageIsTold) {
  Bundle bundle;
  bundle.vectors["normalizer.mean"] = {0, 0, 0, 0, 0};
  two_things().store(bundle);
  const MoveInputs again(bundle);
  EXPECT_EQ(again.columns, two_things().columns);
  EXPECT_EQ(again.things, two_things().things);
  EXPECT_EQ(again.leader, two_things().leader);
  EXPECT_EQ(again.pause, 10);
  for (const auto& [name, wrong] : std::map<std::string, std::vector<float>>{{"mover.sizes", {1, 1}},
                                                                             {"mover.columns", {1, 2, 5}},
                                                                             {"mover.things", {1, 1, 1, 2, 1, 5}},
                                                                             {"mover.leader", {0, 5, 0}},
                                                                             {"mover.slope", {1}}}) {
    Bundle damaged = bundle;
    damaged.vectors[name] = wrong;
    EXPECT_THROW(MoveInputs{damaged}, Error) << name;
  }
}

}  // namespace
}  // namespace alps
