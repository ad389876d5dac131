// The profile of a run: every setting of its training, its regions and its planner, resolved once. Training's settings
// come from the method's parts (learn/method.h); here the regions and the planner get theirs. Order: what was measured
// of the data, then what the preset says, then what the user says; base/profile.h keeps where each value came from.
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

// What only the trained networks tell: how vague the prior is, and what follows for the search and the regions.
void measure_networks(Profile& profile, const std::string& preset, const Model& model);

// the table with origins and reasons, for --explain
std::string explain(const Profile& profile, const Survey& survey);

}  // namespace alps
