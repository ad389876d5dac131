// The result of training (RUN/model.safetensors): networks by name, each with a description of its inputs and outputs,
// and the vectors that belong to them. A method's parts fill it one after the other; policies take from it what they
// need (nn/model.h for planning, plan/actor_policy.h for an actor alone).
//   NAME.0.weight, NAME.0.bias, ...   a network          metadata "network.NAME": "state, action -> change of the
//   state" NAME.WORD                         a vector of part NAME, such as model.change_mean normalizer.mean,
//   .deviation       of the state: networks see x = (s - mean) / deviation, where s is the observation,
//                                     or for images what the trunk makes of it
//   actions.limit, actions.middle     of each action column: networks take and give (a - middle) / limit
//   trunk.*                           convolutions of image runs (nn/trunk.h)
// Immutable once training is over; any number of threads may use it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "alps/base/action_range.h"
#include "alps/base/observation.h"
#include "alps/nn/mlp.h"
#include "alps/nn/trunk.h"

namespace alps {

inline constexpr int kModelFormat = 2;  // of model.safetensors; other ones are refused

struct Bundle {
  Trunk trunk;  // empty unless observations are images
  std::map<std::string, Mlp> networks;
  std::map<std::string, std::string> meanings;        // of the networks: "state, action -> change of the state"
  std::map<std::string, std::vector<float>> vectors;  // "normalizer.mean"
  std::map<std::string, std::string> metadata;        // data set, versions

  bool has(const std::string& network) const { return networks.contains(network); }
  const Mlp& network(const std::string& name) const;  // Error that names it if it was not trained
  const std::vector<float>& vector(const std::string& name) const;
  std::vector<float> vector_or(const std::string& name, std::vector<float> otherwise) const;
  void leave(const std::string& name, Mlp network, std::string meaning);
  void forget(const std::string& name);  // the network and its vectors

  // the normalized state of one observation
  std::vector<float> state_of(Observation seen) const;

  size_t state_size() const { return vector("normalizer.mean").size(); }
  size_t action_size() const { return vector("actions.limit").size(); }
  ActionRange actions() const { return {vector("actions.limit"), vector_or("actions.middle", {})}; }
  size_t observation_size() const { return trunk.empty() ? state_size() : trunk.pixels(); }
  Shape observation_shape() const { return trunk.empty() ? Shape{state_size()} : trunk.image(); }
};

Bundle load_bundle(const std::filesystem::path& path);                      // RUN or RUN/model.safetensors
void save_bundle(const std::filesystem::path& path, const Bundle& bundle);  // atomic

}  // namespace alps
