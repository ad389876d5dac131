// What a run's things are called in captions: the space that distances are measured in, and who acted. Both are read
// from what the run holds, so that pictures of a new method need no word here.
#pragma once

#include <string>

#include "alps/run/run.h"

namespace alps {

// "psi" or "Gamma": what the representation is said to give (Bundle::meanings, "state -> psi"); empty without one
std::string space_name(const Run& run);
// the planner's variant, or the method of a run that does not plan
std::string shown_policy(const Run& run, const std::string& variant);

}  // namespace alps
