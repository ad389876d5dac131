// What a run knows and did, on one page: pictures in RUN/plots and RUN/report.html, which holds all of them. Success,
// trajectories and failures come from what evaluations left in RUN, curves and times from train.csv, maps from the data
// set. Sections that a run has nothing for (no representation, no regions, no plane, no evaluation) are left out.
#pragma once

#include <filesystem>

namespace alps {

// returns RUN/report.html; Error where a file of the run, or its data set, is missing or damaged
std::filesystem::path write_run_report(const std::filesystem::path& run);

}  // namespace alps
