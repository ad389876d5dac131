// What an evaluation leaves in RUN/results: HASH.json and HASH.npz. HASH stands for the whole resolved configuration
// (data, method, every setting of training, the weights, regions and planner, tasks, seeds, backend, version of alps),
// so other settings or weights never overwrite a result, and the same evaluated again replaces its own files only.
//
// HASH.json: the configuration, versions, commit, the command that repeats the evaluation, what the user set in
// training and how long it took, the machine, totals and the outcome of each episode (last, so that readers of many
// files can stop before them). HASH.npz: the ways of the episodes, for pictures. Rows of RUN/eval.csv and of CSV
// ledgers name the HASH (result_rows.h). A folder of such JSON files from many runs is a ledger (lab/ledger.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "alps/eval/evaluate.h"
#include "alps/plan/planner_settings.h"
#include "alps/run/run.h"

namespace alps {

// what was asked for, with nothing left open
struct EvaluationSetup {
  std::string variant, planner;     // empty for runs whose method does not plan
  PlannerSettings settings;         // of the planner, resolved
  std::vector<std::string> set;     // "key=value" that the user gave
  std::vector<int> tasks;           // all of them, in ascending order
  int episodes = 0;                 // of each task
  uint64_t seed = 0;                // of starts, goals and search
  std::string backend = "native";   // whose environments
  std::string command = "unknown";  // that repeats it in a shell
};

// The configuration as JSON whose text depends on nothing but its content: keys in alphabetical order, no spaces.
std::string configuration_json(const Run& run, const EvaluationSetup& setup);
// FNV-1a with 64 bits, as 16 hexadecimal digits
std::string configuration_hash(std::string_view json);

// a result as RUN/results holds it
struct StoredResult {
  std::string config;  // HASH
  std::string method, variant, planner, backend, command, commit;
  std::string finished;       // when, in UTC: "2026-01-31T09:30:00.123Z"
  bool deterministic = true;  // whether the same command gives the same episodes
  std::vector<std::string> set;
  int clusters = 0;   // 0: has no regions
  EvalResult result;  // of an episode: task, index, outcome, steps, start, goal, path, decision_ms

  const std::string& name() const { return variant.empty() ? method : variant; }  // for headings
};

// The finished episodes of this evaluation, in RUN/results/HASH.episodes while it is not finished. Those of
// another commit do not count.
KeptEpisodes kept_episodes(const Run& run, const EvaluationSetup& setup);
// Writes both files, each atomically, the JSON last, and the JSON into the folder `ledger` too if one is named. Returns
// HASH.
std::string save_result(const Run& run, const EvaluationSetup& setup, const EvalResult& result,
                        const std::filesystem::path& ledger = {});
// All results of a run, the newest first. Error for a damaged file, with a remedy.
std::vector<StoredResult> load_results(const std::filesystem::path& run);
// the newest result of each variant in the native environments, variants in the order of variant_names() from its end
std::vector<StoredResult> newest_results(const std::filesystem::path& run);

std::vector<std::string> user_settings(const RunConfig& config);  // "key=value" that the user gave to training
std::string alps_commit();                                        // $ALPS_COMMIT, or "unknown"

}  // namespace alps
