// Results as files, for tests of the ledger: written by save_result itself, then edited where a test needs other
// values.
#pragma once

#include <nlohmann/json.hpp>

#include "../base/temp_folder.h"
#include "../plan/line_world.h"
#include "alps/base/file.h"
#include "alps/run/profiles.h"
#include "alps/run/results.h"

namespace alps {

struct MadeResult {
  std::string data_set = "line-v0", variant = "alps", finished = "2026-01-01T00:00:00.000Z";
  uint64_t seed = 3;
  int successes = 3, episodes = 4;  // of task 1; one more of task 3, which succeeds
  std::vector<std::string> train_set = {}, set = {};
  std::string command = "alps eval 'my run' --tasks 1,3 --clusters 5";
  std::string method = "alps";
};

// writes it into RUN/results; returns the file
inline std::filesystem::path make_result(const std::filesystem::path& folder, const MadeResult& made = {}) {
  alps::Run run;
  run.folder = folder;
  run.model = line_model();
  run.graph = line_graph();
  run.config.data_name = made.data_set;
  run.config.method = made.method;
  run.config.seed = made.seed;
  run.config.profile = planning_profile();
  for (const std::string& assignment : made.train_set) run.config.profile.parse(assignment);
  EvaluationSetup setup{.variant = made.variant, .planner = "run", .settings = line_settings(), .set = made.set};
  setup.tasks = {1, 3};
  setup.episodes = made.episodes;
  setup.seed = 7;
  setup.command = made.command;
  EvalResult result{.episodes = {}, .seconds = 1.5};
  for (int i = 0; i <= made.episodes; ++i) {
    EpisodeRecord e{.task = i < made.episodes ? 1 : 3, .index = i};
    e.success = i < made.successes || i == made.episodes;
    e.outcome = e.success ? Outcome::kSuccess : Outcome::kStuck;
    e.steps = 10 + i;
    for (int k = 0; k < e.steps; ++k) e.decision_ms.push_back(2);
    for (int k = 0; k <= e.steps; ++k) e.path.push_back({0, 0});
    result.episodes.push_back(e);
  }
  const std::filesystem::path file = folder / "results" / (save_result(run, setup, result) + ".json");
  auto root = nlohmann::ordered_json::parse(read_text(file));
  root["finished"] = made.finished;
  write_text(file, root.dump(1) + "\n");
  return file;
}

}  // namespace alps
