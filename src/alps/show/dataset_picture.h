// A data set at a glance: the maze, where there is one, and some of the trajectories.
#pragma once

#include <filesystem>

namespace alps {

// The walls of the environment that the file is named after and 20 of its trajectories, to a .png or .svg. Error for
// data without positions.
void draw_dataset(const std::filesystem::path& dataset, const std::filesystem::path& picture);

}  // namespace alps
