// Pictures that several verbs make.
#pragma once

#include <filesystem>

namespace alps::cli {

// the maze and 20 of the data set's trajectories, to a .png or .svg
void draw_dataset(const std::filesystem::path& dataset, const std::filesystem::path& picture);

// what the run knows and did: RUN/plots and RUN/report.html
void plot_run(const std::filesystem::path& run);

}  // namespace alps::cli
