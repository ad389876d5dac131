#include "alps/plan/move_route.h"

#include <gtest/gtest.h>

namespace alps {
namespace {

// A drawer that moves only while its button is on, a cube that goes into the drawer (beyond 5) only while it is open,
// and that is carried along with it. Values: button 0 or 1, drawer 0 shut or 1 open, cube.
Outcomes kitchen(std::span<const float> now, std::span<const MoveStep> moves) {
  Outcomes outcomes;
  for (const auto& [factor, to] : moves) {
    std::vector<float> after(now.begin(), now.end());
    after[factor] = to[0];
    bool possible = true;
    if (factor == 1) {
      possible = now[0] == 1;
      if (now[2] > 5) after[2] = to[0] == 1 ? 6 : 8;
    }
    if (factor == 2) possible = now[1] == 1 ? to[0] < 7 : now[2] < 5 && to[0] < 5;
    outcomes.support.push_back(possible ? 1.0f : -20.0f);
    outcomes.after.insert(outcomes.after.end(), after.begin(), after.end());
  }
  return outcomes;
}

const FactorPlaces kKitchen{{1, 1, 1}, {{0, 1}, {0, 1}, {1, 2, 3, 6}}};

std::string words(const MoveRoute& route) {
  std::string text;
  for (const auto& [factor, to] : route.steps) text += std::to_string(factor) + ":" + std::to_string(int(to[0])) + " ";
  return text;
}

MoveRoute cook(std::vector<float> now, std::vector<float> goal) {
  return find_move_route(kKitchen, now, goal, {}, kitchen);
}

TEST(MoveRoute, NothingToDo) {
  const MoveRoute route = cook({1, 0, 2}, {1, 0, 2});
  EXPECT_TRUE(route.steps.empty());
  EXPECT_TRUE(route.complete);
  EXPECT_EQ(route.cost, 0);
}

TEST(MoveRoute, UnlocksOpensPutsInShutsAndLocks) {
  // the cube in the shut drawer is where nobody puts it: the drawer takes it there
  const MoveRoute route = cook({0, 0, 2}, {0, 0, 8});
  EXPECT_EQ(words(route), "0:1 1:1 2:6 1:0 0:0 ");
  EXPECT_EQ(route.cost, 5);
}

TEST(MoveRoute, ALongOrderIsBetterThanAMoveThatTheDataHardlySupport) {
  const auto unsure = [](std::span<const float> now, std::span<const MoveStep> moves) {
    Outcomes outcomes = kitchen(now, moves);
    for (float& s : outcomes.support) s = s < 0 ? -4 : -0.5f;
    return outcomes;
  };
  const std::vector<float> now = {0, 0, 2}, goal = {0, 0, 8};
  EXPECT_EQ(words(find_move_route(kKitchen, now, goal, {}, unsure)), "0:1 1:1 2:6 1:0 0:0 ");
}

TEST(MoveRoute, TakesOutAgain) { EXPECT_EQ(words(cook({1, 0, 8}, {1, 0, 3})), "1:1 2:3 1:0 "); }

TEST(MoveRoute, DoubtfulMovesAreMadeWhereThereIsNoOtherWay) {
  const auto never = [](std::span<const float> now, std::span<const MoveStep> moves) {
    Outcomes outcomes = kitchen(now, moves);
    for (float& s : outcomes.support) s = -20;
    return outcomes;
  };
  const MoveRoute route =
      find_move_route(kKitchen, std::vector<float>{0, 0, 2}, std::vector<float>{0, 0, 3}, {}, never);
  EXPECT_EQ(words(route), "2:3 ");
  EXPECT_EQ(route.cost, 21);
}

// two things of which only one fits on a place
Outcomes crowded(std::span<const float> now, std::span<const MoveStep> moves) {
  Outcomes outcomes;
  for (const auto& [factor, to] : moves) {
    std::vector<float> after(now.begin(), now.end());
    after[factor] = to[0];
    outcomes.support.push_back(std::abs(to[0] - now[1 - factor]) < 0.5f ? -20.0f : 1.0f);
    outcomes.after.insert(outcomes.after.end(), after.begin(), after.end());
  }
  return outcomes;
}

TEST(MoveRoute, ThingsThatExchangePlacesNeedAThird) {
  const FactorPlaces two{{1, 1}, {{1, 2, 3}, {1, 2, 3}}};
  const MoveRoute route = find_move_route(two, std::vector<float>{1, 2}, std::vector<float>{2, 1}, {}, crowded);
  ASSERT_EQ(route.steps.size(), 3u);
  EXPECT_EQ(route.cost, 3);
  EXPECT_EQ(route.steps[0].to[0], 3);
}

TEST(MoveRoute, WhatIsNearIsThere_AndWhatFailedComesLater) {
  const FactorPlaces two{{1, 1}, {{}, {}}};
  const std::vector<float> now = {0, 0}, goal = {0.04f, 5};
  EXPECT_EQ(words(find_move_route(two, now, goal, {.near = {0.05, 0.05}}, crowded)), "1:5 ");
  const std::vector<float> far = {7, 5};
  EXPECT_EQ(find_move_route(two, now, far, {.dislike = {2, 0}}, crowded).steps[0].factor, 1u);
  EXPECT_EQ(find_move_route(two, now, far, {.dislike = {0, 2}}, crowded).steps[0].factor, 0u);
}

TEST(MoveRoute, WhatIsInTheHandComesFirst) {
  const FactorPlaces two{{1, 1}, {{}, {}}};
  const std::vector<float> now = {0, 0}, goal = {3, 5};
  EXPECT_EQ(find_move_route(two, now, goal, {.first = 0}, crowded).steps[0].factor, 0u);
  EXPECT_EQ(find_move_route(two, now, goal, {.first = 1}, crowded).steps[0].factor, 1u);
  // though it is where it shall be, but for the last bit
  const std::vector<float> near = {0.04f, 5};
  EXPECT_EQ(find_move_route(two, now, near, {.near = {0, 0.05}, .first = 0}, crowded).steps[0].factor, 0u);
}

TEST(MoveRoute, OfPlacesTheMoreUsualOneIsTaken) {
  const auto beside = [](std::span<const float> now, std::span<const MoveStep> moves) {
    Outcomes outcomes = crowded(now, moves);
    for (size_t m = 0; m < moves.size(); ++m)
      if (std::abs(moves[m].to[0] - now[1 - moves[m].factor]) < 1.5f) outcomes.support[m] -= 1.5f;
    return outcomes;
  };
  const FactorPlaces two{{1, 1}, {{1, 2, 3, 7}, {1, 2, 3, 7}}};
  EXPECT_EQ(find_move_route(two, std::vector<float>{1, 3}, std::vector<float>{3, 1}, {}, beside).steps[0].to[0], 7);
}

TEST(MoveRoute, EndsWhereTheBoundIsReached) {
  const MoveRoute route = find_move_route(kKitchen, std::vector<float>{0, 0, 2}, std::vector<float>{0, 0, 8},
                                          {.near = {}, .dislike = {}, .most = 1}, kitchen);
  EXPECT_FALSE(route.complete);
}

}  // namespace
}  // namespace alps
