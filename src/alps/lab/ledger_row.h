// One result as the tables see it: what was asked, what was measured, and where it stands. Results of today
// (run/results.h), rows of CSV ledgers of earlier versions, and whatever reads them agree on these columns; `fields` is
// the one list of them. A row is plain data.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace alps {

struct LedgerRow {
  // what was asked
  std::string config;                     // HASH of the whole configuration; empty in ledgers of earlier versions
  std::string data_set, method, variant;  // the variant is empty for methods that do not plan
  std::string planner, preset;            // whose settings the planner has, and training
  uint64_t seed = 0, eval_seed = 0;       // of training; of starts, goals and search
  std::string train_set, set;             // "key=value ..." that the user set: of training, of the planner
  std::string asked;                      // what else: "clusters=16 tasks=1,3 budget_ms=20"
  std::string backend = "native";
  // what was measured
  int clusters = 0;                           // of the graph; 0: none, or not known
  std::vector<std::pair<int, int>> per_task;  // successes and episodes
  int episodes = 0, successes = 0;            // of all tasks
  double mean_steps = NAN, decision_ms = NAN, seconds = NAN, train_seconds = NAN;
  // where it comes from
  std::string version, commit, command, finished;
  std::string where;  // the file it was read from

  double success() const { return 100.0 * successes / episodes; }  // per cent

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("config", r.config);
    visit("data_set", r.data_set);
    visit("method", r.method);
    visit("variant", r.variant);
    visit("planner", r.planner);
    visit("preset", r.preset);
    visit("seed", r.seed);
    visit("eval_seed", r.eval_seed);
    visit("train_set", r.train_set);
    visit("set", r.set);
    visit("asked", r.asked);
    visit("backend", r.backend);
    visit("clusters", r.clusters);
    visit("per_task", r.per_task);
    visit("episodes", r.episodes);
    visit("successes", r.successes);
    visit("mean_steps", r.mean_steps);
    visit("decision_ms", r.decision_ms);
    visit("seconds", r.seconds);
    visit("train_seconds", r.train_seconds);
    visit("version", r.version);
    visit("commit", r.commit);
    visit("command", r.command);
    visit("finished", r.finished);
    visit("where", r.where);
  }
};

const std::vector<std::string>& ledger_columns();
bool is_ledger_column(const std::string& column);
// Columns that say what was asked, but for seeds: figures of rows that agree in all of them may be pooled.
const std::vector<std::string>& question_columns();

// A cell as text; empty where nothing is known. Settings that the user gave are columns of their own, whether they
// belong to training, to the planner or to the evaluation: "eigenvectors", "sigma", "tasks".
std::string ledger_cell(const LedgerRow& row, const std::string& column);

// Fills in what only the row's command tells: `asked`, and in rows of earlier versions, which leave them empty,
// variant, planner and set. A planner of "run" becomes the preset: a run's own settings are those of the preset it was
// trained with.
void read_command(LedgerRow& row);

// the value of `key` in "key=value key=value"; empty without it
std::string value_of(const std::string& settings, const std::string& key);

}  // namespace alps
