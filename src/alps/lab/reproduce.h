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
