// What one may turn on the page: the variant, the preset, the size of the search, the seed, and the axes looked along.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "viewer/view_run.h"

namespace alps::viewer {

struct Settings {
  std::string variant = "alps", preset = "fast";
  std::optional<int> samples, iterations, horizon;  // the preset's, where not given
  uint64_t seed = 0;
  Axes axes;

  // takes over the keys of `changes`; null takes a number back to the preset's. UsageError names what is wrong.
  void change(const ViewRun& view, const nlohmann::json& changes);
  PlannerConfig resolve(const ViewRun& view) const;
  nlohmann::json json(const ViewRun& view) const;
};

}  // namespace alps::viewer
