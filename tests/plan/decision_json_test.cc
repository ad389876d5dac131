// A decision written out: every key is there, numbers are what they were, and options change values, not structure.
#include "alps/plan/decision_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace alps {
namespace {

Decision decision() {
  Decision d;
  d.action = {0.123456f, -1};
  d.off_data = 0.5;
  d.goal_off_data = 12;
  d.cluster = 3;
  d.target = 5;
  d.goal_cluster = 9;
  d.route = {3, 5, 9};
  d.psi = {1, 2};
  d.subgoal = {3, 4};
  d.subgoal_distance = 2.828427;
  d.goal_distance = 7;
  d.detour = true;
  d.closed_from = 3;
  d.closed_to = 4;
  d.top_p = 0.95;
  d.plan = {0.123456f, -1, 0, 0};
  d.best_costs = {5, 4};
  d.elite_costs = {6, 5};
  d.total_ms = 1.5;
  d.imagined = {{.elites = 1, .states = {0, 1, 2, 10, 11, 12}, .costs = {4, std::numeric_limits<float>::infinity()}}};
  d.imagined_plan = {0, 1, 2};
  d.steps = {{2, {7, 8}, {0.5f, -1}}};
  return d;
}

std::vector<std::string> keys(const nlohmann::ordered_json& object) {
  std::vector<std::string> all;
  for (const auto& [key, value] : object.items()) all.push_back(key);
  return all;
}

TEST(DecisionJson, HoldsTheWholeTrace) {
  const auto json = decision_json(decision());
  EXPECT_EQ(keys(json),
            (std::vector<std::string>{
                "action",      "off_data",         "goal_off_data", "cluster", "target",   "goal_cluster", "route",
                "replanned",   "advanced",         "detour",        "closed",  "no_route", "top_p",        "psi",
                "subgoal",     "subgoal_distance", "goal_distance", "steps",   "plan",     "kept_plan",    "best_costs",
                "elite_costs", "imagined",         "imagined_plan", "ms"}));
  EXPECT_EQ(json["action"][0].get<float>(), 0.123456f);
  EXPECT_EQ(json["closed"], (nlohmann::ordered_json{3, 4}));
  EXPECT_EQ(json["route"], (nlohmann::ordered_json{3, 5, 9}));
  EXPECT_EQ(json["subgoal_distance"], 2.828427);
  EXPECT_EQ(json["off_data"], 0.5);
  EXPECT_EQ(json["goal_off_data"], 12.0);
  EXPECT_EQ(json["ms"]["total"], 1.5);
  ASSERT_EQ(json["steps"].size(), 1u);
  EXPECT_EQ(json["steps"][0].dump(), R"({"factor":2,"columns":[7,8],"to":[0.5,-1.0]})");
  // candidates one by one; what has no number is null
  ASSERT_EQ(json["imagined"].size(), 2u);
  EXPECT_EQ(json["imagined"][0]["elite"], true);
  EXPECT_EQ(json["imagined"][0]["cost"], 4.0);
  EXPECT_EQ(json["imagined"][1]["elite"], false);
  EXPECT_TRUE(json["imagined"][1]["cost"].is_null());
  EXPECT_EQ(json["imagined"][1]["path"], (nlohmann::ordered_json{10.0, 11.0, 12.0}));
}

TEST(DecisionJson, OptionsChangeValuesAndNoKeys) {
  const DecisionJsonOptions options{.decimals = 2, .place = [](std::span<const float> states) {
                                      return std::vector<double>{states.front() + 0.005001, 7};
                                    }};
  const auto plain = decision_json(decision()), page = decision_json(decision(), options);
  EXPECT_EQ(keys(plain), keys(page));
  EXPECT_EQ(keys(plain["imagined"][0]), keys(page["imagined"][0]));
  EXPECT_EQ(page["action"][0], 0.12);
  EXPECT_EQ(page["imagined"][1]["path"], (nlohmann::ordered_json{10.01, 7.0}));
  EXPECT_EQ(page["imagined_plan"], (nlohmann::ordered_json{0.01, 7.0}));
}

// a policy that is no planner has an action and a time
TEST(DecisionJson, WhatAPolicyDoesNotHaveIsEmpty) {
  Decision d;
  d.action = {1};
  const auto json = decision_json(d);
  EXPECT_EQ(keys(json), keys(decision_json(decision())));
  EXPECT_EQ(json["cluster"], -1);
  EXPECT_TRUE(json["off_data"].is_null() && json["goal_off_data"].is_null());  // not known
  EXPECT_TRUE(json["closed"].is_null());
  for (const char* key : {"route", "psi", "subgoal", "plan", "best_costs", "imagined", "imagined_plan"})
    EXPECT_TRUE(json[key].is_array() && json[key].empty()) << key;
  EXPECT_NO_THROW(static_cast<void>(json.dump()));
}

}  // namespace
}  // namespace alps
