// Experts: policies that walk along a commanded direction, the hands of every data maker. The point needs none; that of
// the ant was trained here (expert_training.h) and lies in experts/.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "alps/base/geometry.h"
#include "alps/collect/recipe.h"

namespace alps {

// (observation without x and y, unit direction) -> deterministic action; called from several threads at once
using Expert = std::function<void(std::span<const float> posture, Point2 direction, std::span<double> action)>;

// the expert of a body ("point", "ant", "humanoid"); `file` are other weights than those in experts/
Expert expert_for(std::string_view body, const std::filesystem::path& file = {});

// the weights it would read, none for a point
std::filesystem::path expert_file(std::string_view body, const std::filesystem::path& file = {});

// what a data set needs before it can be made here; empty: nothing
std::string missing_for(const Recipe& recipe);

// $ALPS_EXPERTS, or the folder of the source tree
std::filesystem::path experts_folder();

}  // namespace alps
