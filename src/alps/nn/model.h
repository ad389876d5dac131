// What planning takes from a run's networks (nn/bundle.h). All of them work on normalized states
// x = (s - mean) / deviation, where s is the observation, or for images the latent state of the trunk, and on actions
// in units of their limits, so in [-1, 1].
//   psi(x)            the scaled Laplacian representation phi_i / lambda_i^psi_power, ready to use
//   step(x, a)        the next normalized state x + change_mean + change_deviation * model(x, a)
//   act(x, psi, goal) the behaviour prior's action
// Networks that were not trained are empty. Immutable after loading; any number of threads may use it.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "alps/base/observation.h"
#include "alps/nn/bundle.h"

namespace alps {

struct Model {
  Model() = default;
  explicit Model(const Bundle& bundle);  // Error where sizes do not fit together
  Bundle bundle() const;                 // and back

  Trunk trunk;                           // empty unless observations are images
  std::vector<float> mean, deviation;    // of the state, (state_size)
  Mlp representation;                    // (state) -> (eigenvectors): psi
  std::vector<float> eigenvalues;        // lambda_i that psi is scaled with, ascending
  std::vector<float> eigenvalues_duals;  // estimates of lambda from ALLO's duals, in the order of its outputs
  Mlp model;                             // (state, action) -> (state)
  std::vector<float> change_mean, change_deviation;  // of one step of the normalized state
  Mlp prior;                                         // (state, psi, psi of the goal) -> (action)
  ActionRange actions;                               // of the data; networks see (a - middle) / limit
  float prior_spread = 0;                            // root mean square of data action - prior's action; 0: not known
  float prior_way = 0;                               // root mean square of |psi(goal) - psi(x)| in the prior's training
  std::map<std::string, std::string> metadata;       // data set, versions

  size_t state_size() const { return mean.size(); }
  size_t observation_size() const { return trunk.empty() ? mean.size() : trunk.pixels(); }
  size_t action_size() const { return actions.size(); }
  bool image() const { return !trunk.empty(); }
  size_t eigenvectors() const { return representation.empty() ? 0 : representation.outputs(); }

  // observations (rows, observation_size), numbers or the bytes of images -> normalized states (rows, state_size)
  void observe(Observation seen, std::span<float> states, int threads = 1) const;
  // normalized states -> psi (rows, eigenvectors)
  void psi(std::span<const float> states, std::span<float> out, int threads = 1,
           Precision precision = Precision::kFp32) const;
  // normalized states (rows, state_size), actions (rows, action_size) -> next (rows, state_size), which may be
  // `states` itself; actions in units of their limits, here and below
  void step(std::span<const float> states, std::span<const float> actions, std::span<float> next, int threads = 1,
            Precision precision = Precision::kFp32) const;
  // normalized states, their psi and the goals' psi -> actions (rows, action_size)
  void act(std::span<const float> states, std::span<const float> psi, std::span<const float> goal,
           std::span<float> actions, int threads = 1) const;
};

Model load_model(const std::filesystem::path& path);  // RUN or RUN/model.safetensors

// For embedding only: the model, and where it has no representation what a baseline maps a state alone to: phi of qrl,
// hilp and gas, psi of crl. Only with hilp and gas are distances between such numbers travel times (plan/goal_value.h).
Model embedding_model(const Bundle& bundle);

// observations of a file (rows, ...) float32 or uint8 -> psi (rows, eigenvectors); what `alps embed` does
Array embed(const Model& model, const Array& observations, int threads = 0);
// the same in the caller's memory: observations (rows, observation_size) or images -> psi (rows, eigenvectors)
void embed(const Model& model, Observation observations, std::span<float> psi, int threads = 0);

}  // namespace alps
