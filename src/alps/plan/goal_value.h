// What a run of a baseline knows about the way from states to a goal: its value, from the networks in the bundle. The
// higher, the nearer. Methods without a value (behaviour cloning) and those that plan have none here.
//   gcivl, gciql   V(s, g), -1 for each step on the way, discounted
//   hiql, saw      V(s, phi([s; g])), the same
//   qrl, hilp, gas -d(s, g), in steps; of hilp and gas |phi(s) - phi(g)|, which is discounted
//   crl            phi(s, a)^T psi(g) / sqrt(d) of the actor's action: a logarithm of how often g follows
#pragma once

#include <span>
#include <string>
#include <vector>

#include "alps/nn/bundle.h"

namespace alps {

// "value V(s, g)", "distance -d(s, g)", ...; empty where there is none
std::string goal_value_name(const Bundle& bundle);

// normalized states (n, state_size) and one goal -> (n); Error where goal_value_name is empty
std::vector<float> goal_values(const Bundle& bundle, std::span<const float> states, std::span<const float> goal,
                               int threads = 1);

}  // namespace alps
