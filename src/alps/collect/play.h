// OGBench's play data: an arm takes up one thing after the other, at random and with no task, by scripts with noise
// (arm_script.h). A script that is over, whether it worked or not, makes room for the next.
#pragma once

#include "alps/collect/rows.h"
#include "alps/world/env.h"

namespace alps {

void check_play(Env& env);  // throws Error where `env` has no arm
// One episode with noise of a deviation of `noise` actions, written to `rows`; returns how many scripts reached what
// they were for. An episode in which the cube of the scene with the drawer gets out of sight is made anew.
size_t run_play(Env& env, double noise, Rng rng, RowsView rows);

}  // namespace alps
