// The profile of a run: every setting of its training, its regions and its planner, resolved once. Training's settings
// come from the method's parts (learn/method.h); those of regions and planner are set here. Preset fast measures the
// data, preset paper takes the paper's values; what the user sets wins. base/profile.h keeps where each value came
// from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "alps/base/profile.h"
#include "alps/collect/recipe.h"
#include "alps/data/survey.h"
#include "alps/nn/model.h"

namespace alps {

// the settings of regions and planner, with their defaults
Profile planning_profile();

// Appends the settings of regions and planner to a training profile, as a preset gives them for data like these, and
// those that belong to the method ("key=value").
void add_planning(Profile& profile, const std::string& preset, const Survey& survey,
                  const std::vector<std::string>& of_method, const PaperRow& paper);

// Settings that depend on the trained networks: a vague prior asks for a wider search and regions without traps.
void measure_networks(Profile& profile, const std::string& preset, const Model& model);

// the table with origins and reasons, for --explain
std::string explain(const Profile& profile, const Survey& survey);

}  // namespace alps
