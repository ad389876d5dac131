// The sections of RUN/report.html, one function each; run_report.cc puts them together. Pictures go to RUN/plots and
// into the page. A section that the run has nothing for is empty.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "alps/data/dataset.h"
#include "alps/draw/episode_map.h"
#include "alps/draw/report.h"
#include "alps/eval/evaluate.h"
#include "alps/run/run.h"
#include "alps/show/run_words.h"
#include "alps/show/state_sample.h"
#include "alps/world/planar_view.h"

namespace alps {

struct ReportSource {
  const Run& run;
  const Dataset& data;
  const StateSample& sample;
  const Env* env;           // null for data of the user's own
  const PlanarView* plane;  // of the environment, where it has one
  Floorplan plan;
  std::filesystem::path plots;
  std::string space;  // that the representation gives: "psi", "Gamma"; empty without one

  bool laplacian() const { return space == "psi"; }  // its dimensions are eigenfunctions, slowest first
};

// what alps eval last measured of one variant, or of a method that has none
struct VariantResult {
  std::string variant;  // or the method of a run that does not plan
  std::vector<TaskEpisodes> tasks;
  std::array<size_t, kOutcomes> census{};
  std::vector<float> decision_ms;  // of each decision
  double mean_decision_ms = 0, seconds = 0;
  size_t episodes() const;
  size_t successes() const;
};
std::vector<VariantResult> read_results(const ReportSource& source);

ReportSection about_section(const ReportSource& source, const std::vector<VariantResult>& results);
ReportSection success_section(const ReportSource& source, const std::vector<VariantResult>& results);
ReportSection episodes_section(const ReportSource& source, const std::vector<VariantResult>& results);
ReportSection failures_section(const std::vector<VariantResult>& results);
ReportSection map_section(const ReportSource& source);
ReportSection value_section(const ReportSource& source);      // of methods that learn one (plan/goal_value.h)
ReportSection functions_section(const ReportSource& source);  // spectrum and eigenfunctions
ReportSection leaps_section(const ReportSource& source);
ReportSection training_section(const ReportSource& source);
ReportSection timings_section(const ReportSource& source, const std::vector<VariantResult>& results);
ReportSection settings_section(const ReportSource& source);
ReportSection check_section(const ReportSource& source);  // advice (run/check.h)

std::string figure(double value, int digits = 3);  // `digits` significant: "0.0123", "1,230", "12.3"
// "97.2 (93.4 to 99.1)"
std::string rate_with_interval(size_t successes, size_t trials);
// how far each state of the sample is from one psi
std::vector<float> distances_from(const StateSample& sample, std::span<const float> psi);

}  // namespace alps
