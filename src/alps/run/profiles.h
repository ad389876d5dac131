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
#include "alps/data/dataset.h"
#include "alps/data/survey.h"
#include "alps/nn/model.h"

namespace alps {

// the settings of regions and planner, with their defaults
Profile planning_profile();

// Appends the settings of regions and planner to a training profile, as a preset gives them for data like these, and
// those that belong to the method ("key=value").
void add_planning(Profile& profile, const std::string& preset, const Survey& survey,
                  const std::vector<std::string>& of_method, const PaperRow& paper);

// For images, once there is a map: whether phi is all of the state (run/detail_need.h). If it is, no detail is trained;
// if it is not, model and prior are trained as on states of columns.
void measure_detail(Profile& profile, const Model& model, const Dataset& data, int threads);

// Settings that depend on the map alone, for the parts that are trained after it: how far ahead the next region lies,
// and with it the goals that the prior learns to reach, and how long the planner waits for progress.
void measure_map(Profile& profile, const std::string& preset, const Model& model, const Dataset& data, int threads);

// Settings that depend on all trained networks. A model whose imagined differences come true (trust, run/trust.h) may
// be searched far from the prior; one whose differences do not is not searched at all. A vague prior asks for a wider
// search and regions without traps.
void measure_networks(Profile& profile, const std::string& preset, const Model& model,
                      const std::vector<double>& trust);

// the table with origins and reasons, for --explain
std::string explain(const Profile& profile, const Survey& survey);

}  // namespace alps
