// `alps reproduce`: the paper's tables and figures from nothing. An exhibit's sweep (lab/exhibit.h) with what the
// command line changes becomes tasks; what they cost is told before they begin; lab/reproduce_page.h shows what came
// out beside the paper's figures.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "alps/lab/costs.h"
#include "alps/lab/exhibit.h"
#include "alps/lab/ledger_row.h"
#include "alps/lab/tasks.h"

namespace alps {

struct ReproduceRequest {
  std::optional<int> seeds, episodes;  // instead of the files'
  std::string preset;                  // instead of the files'; empty: theirs
  bool paper_protocol = false;         // the files' [[protocol]]; seeds, episodes and preset above still win
  LabPaths paths;
};

// An exhibit with the runs that it takes. Data sets that cannot be made here are in sweep.left_out, with the reason.
struct PlannedExhibit {
  Exhibit exhibit;
  Sweep sweep;
};
PlannedExhibit plan_exhibit(const Exhibit& exhibit, const ReproduceRequest& request);

// all runs as one sweep; runs that several exhibits share are one
Sweep joint_sweep(const std::vector<PlannedExhibit>& planned);

// The results of LAB and of other ledgers. A run of LAB that was trained on data of its own (data_episodes, data_seed)
// has these among its settings of training.
std::vector<LedgerRow> results_of(const LabPaths& paths, std::vector<std::filesystem::path> ledgers);
std::filesystem::path run_of(const LedgerRow& row);  // RUN of "alps eval RUN ..."; empty: not known

struct CostTable {
  std::vector<CostLine> lines;  // a line each for making data, training, evaluating and drawing
  size_t done = 0;              // tasks that were done before, and cost nothing
  double core_minutes() const;
  size_t tasks() const;
  bool estimated() const;
};
// of what is still to be done
CostTable cost_of(const Sweep& sweep, const Costs& costs, const LabPaths& paths);

}  // namespace alps
