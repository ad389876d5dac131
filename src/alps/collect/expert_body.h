// The bodies that have experts, one row each: how its expert is trained, loaded and drawn, and when it is down. Whoever
// trains, measures or makes data asks this table and knows no body by name.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "alps/collect/expert.h"
#include "alps/world/body.h"
#include "alps/world/direction_env.h"

namespace alps {

// what a user may say about a training; what is not said is the body's own
struct ExpertSettings {
  std::optional<int64_t> steps;
  std::optional<double> lr, walls;
  std::optional<int64_t> checkpoint_every;  // steps
  std::filesystem::path from;  // weights that the student begins with
  uint64_t seed = 0;
  int threads = 0;
};

using ExpertNotes = std::function<void(int64_t step, int64_t total, const std::string& note)>;

// a line of the chart of a training: a column of the curve's CSV
struct CurveLine {
  std::string column, label;
};

struct ExpertBody {
  std::string_view name;
  std::string_view method;  // how it is trained, in a few words
  const Body& (*body)();
  double seconds;                              // of a step
  int longest;                                 // steps of an episode in which it is measured
  bool (*down)(std::span<const double> qpos);  // lies where it should stand
  std::string_view down_words;                 // how that is called
  std::unique_ptr<DirectionEnv> (*plane)();    // where it walks without walls; null: measured in mazes only
  Expert (*load)(const std::filesystem::path& file);
  void (*train)(const std::filesystem::path& out, const ExpertSettings& settings, bool resume,
                const ExpertNotes& notes);
  std::string_view curve;  // what is added to OUT for the curve's file
  std::vector<CurveLine> lines;
  std::string_view curve_label, curve_caption;
};

const std::vector<ExpertBody>& expert_bodies();
const ExpertBody& expert_body(std::string_view name);  // throws Error for a body without an expert

}  // namespace alps
