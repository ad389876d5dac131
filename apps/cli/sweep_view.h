// A sweep on the terminal: one block that is painted anew for all running tasks, or plain lines in a log.
#pragma once

#include "alps/lab/local_engine.h"
#include "alps/lab/reproduce.h"
#include "alps/lab/slurm_engine.h"

namespace alps::cli {

// runs the tasks here and shows it; Error at the end where tasks failed, naming their logs
void run_local_sweep(const std::vector<Task>& tasks, const LabPaths& paths, const EngineSettings& engine,
                     const LocalSettings& settings);

// "12 data sets, 36 trainings, 72 evaluations; 40 done, ..."
void print_counts(const std::vector<Task>& tasks, const LabPaths& paths, const EngineSettings& engine);

// what was sent to Slurm, and what was not
void print_submission(const SlurmSubmission& sent);

// core-minutes of what is still to be done, by kind of task
void print_cost(const Sweep& sweep, const CostTable& cost);

}  // namespace alps::cli
