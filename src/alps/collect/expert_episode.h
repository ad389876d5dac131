// One episode as OGBench's data were made: an expert follows an oracle's directions through a maze with noise on its
// actions (navigate, stitch), or a direction drawn anew every ten steps (explore).
#pragma once

#include "alps/collect/expert.h"
#include "alps/collect/recipe.h"
#include "alps/collect/rows.h"
#include "alps/world/env.h"

namespace alps {

void expect_maze(Env& env);  // throws Error that says what an environment lacks for such episodes

// fills `rows`; returns how often the expert reached its goal
size_t run_expert(Env& env, const Recipe& recipe, const Expert& expert, Rng rng, RowsView rows);

}  // namespace alps
