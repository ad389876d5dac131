// A result as one row: of RUN/eval.csv, with OGBench's column names, or of a ledger that collects the results of many
// runs (alps eval --results). Both name the configuration's HASH (results.h); base/append.h adds them to their files.
#pragma once

#include "alps/base/append.h"
#include "alps/run/results.h"

namespace alps {

// One column for each of the environment's tasks, empty where it was not evaluated. Without a result the cells of what
// was measured are empty: for check_columns before a long evaluation.
CsvRow eval_row(const Run& run, const EvaluationSetup& setup, int num_tasks, const EvalResult* result);
CsvRow ledger_row(const Run& run, const EvaluationSetup& setup, const EvalResult* result);

}  // namespace alps
