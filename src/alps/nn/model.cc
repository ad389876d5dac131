#include "alps/nn/model.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "alps/base/threads.h"

namespace alps {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRepresentationMeaning = "state -> psi";
constexpr const char* kModelMeaning = "state, action -> change of the state";
constexpr const char* kPriorMeaning = "state, psi, psi of the goal -> action";

void expect_size(const char* name, const Mlp& network, size_t inputs, size_t outputs) {
  if (network.inputs() != inputs || network.outputs() != outputs)
    throw Error("network '", name, "' maps ", network.inputs(), " numbers to ", network.outputs(), ", expected ",
                inputs, " to ", outputs);
}

float number(const Bundle& bundle, const char* name) {
  const std::vector<float> values = bundle.vector_or(name, {0});
  if (values.size() != 1) throw Error("tensor '", name, "' has ", values.size(), " numbers, expected one");
  return values[0];
}

// rows of several arrays side by side, in memory that the thread keeps: a planner calls this thousands of times
struct Columns {
  std::span<const float> values;
  size_t size;
};
std::span<const float> side_by_side(size_t rows, std::initializer_list<Columns> parts) {
  static thread_local std::vector<float> out;
  size_t width = 0;
  for (const Columns& part : parts) {
    ALPS_CHECK(part.values.size() == rows * part.size);
    width += part.size;
  }
  out.resize(rows * width);
  for (size_t r = 0; r < rows; ++r) {
    float* to = out.data() + r * width;
    for (const Columns& part : parts) to = std::copy_n(part.values.data() + r * part.size, part.size, to);
  }
  return out;
}

}  // namespace

Model::Model(const Bundle& bundle)
    : trunk(bundle.trunk),
      mean(bundle.vector("normalizer.mean")),
      deviation(bundle.vector("normalizer.deviation")),
      actions(bundle.actions()),
      metadata(bundle.metadata) {
  const size_t states = state_size(), action_numbers = action_size();
  if (bundle.has("representation")) {
    representation = bundle.network("representation");
    expect_size("representation", representation, states, representation.outputs());
    eigenvalues = bundle.vector("representation.eigenvalues");
    eigenvalues_duals = bundle.vector("representation.eigenvalues_duals");
    if (eigenvalues.size() != eigenvectors() || eigenvalues_duals.size() != eigenvectors())
      throw Error("the representation has ", eigenvectors(), " outputs, but ", eigenvalues.size(), " eigenvalues and ",
                  eigenvalues_duals.size(), " from duals");
  }
  if (bundle.has("model")) {
    model = bundle.network("model");
    expect_size("model", model, states + action_numbers, states);
    change_mean = bundle.vector("model.change_mean");
    change_deviation = bundle.vector("model.change_deviation");
    if (change_mean.size() != states || change_deviation.size() != states)
      throw Error("the state has ", states, " numbers, but model.change_mean and model.change_deviation have ",
                  change_mean.size(), " and ", change_deviation.size());
  }
  if (bundle.has("prior")) {
    prior = bundle.network("prior");
    expect_size("prior", prior, states + 2 * eigenvectors(), action_numbers);
    prior_spread = number(bundle, "prior.spread");
    prior_way = number(bundle, "prior.way");
  }
}

Bundle Model::bundle() const {
  Bundle bundle{.trunk = trunk, .networks = {}, .meanings = {}, .vectors = {}, .metadata = metadata};
  bundle.vectors = {{"normalizer.mean", mean}, {"normalizer.deviation", deviation}, {"actions.limit", actions.limit}};
  if (!actions.middle.empty()) bundle.vectors["actions.middle"] = actions.middle;
  if (!representation.empty()) {
    bundle.leave("representation", representation, kRepresentationMeaning);
    bundle.vectors["representation.eigenvalues"] = eigenvalues;
    bundle.vectors["representation.eigenvalues_duals"] = eigenvalues_duals;
  }
  if (!model.empty()) {
    bundle.leave("model", model, kModelMeaning);
    bundle.vectors["model.change_mean"] = change_mean;
    bundle.vectors["model.change_deviation"] = change_deviation;
  }
  if (!prior.empty()) {
    bundle.leave("prior", prior, kPriorMeaning);
    bundle.vectors["prior.spread"] = {prior_spread};
    bundle.vectors["prior.way"] = {prior_way};
  }
  return bundle;
}

void Model::observe(Observation seen, std::span<float> states, int threads) const {
  ALPS_CHECK(seen.image() == image() && states.size() % state_size() == 0);
  ALPS_CHECK(seen.size() / observation_size() == states.size() / state_size());
  if (image())
    trunk.forward(seen.bytes(), states, threads);
  else
    std::ranges::copy(seen.floats(), states.begin());
  for (size_t i = 0; i < states.size(); ++i) {
    const size_t k = i % state_size();
    states[i] = (states[i] - mean[k]) / deviation[k];
  }
}

void Model::psi(std::span<const float> states, std::span<float> out, int threads, Precision precision) const {
  representation.forward(states, out, threads, precision);
}

void Model::step(std::span<const float> states, std::span<const float> actions, std::span<float> next, int threads,
                 Precision precision) const {
  static thread_local std::vector<float> change;
  const size_t rows = states.size() / state_size();
  const auto in = side_by_side(rows, {{states, state_size()}, {actions, action_size()}});
  change.resize(states.size());
  model.forward(in, change, threads, precision);
  for (size_t i = 0; i < change.size(); ++i) {
    const size_t k = i % state_size();
    next[i] = states[i] + change_mean[k] + change_deviation[k] * change[i];
  }
}

void Model::act(std::span<const float> states, std::span<const float> psi, std::span<const float> goal,
                std::span<float> actions, int threads) const {
  const size_t rows = states.size() / state_size();
  prior.forward(side_by_side(rows, {{states, state_size()}, {psi, eigenvectors()}, {goal, eigenvectors()}}), actions,
                threads);
}

Model load_model(const fs::path& path) {
  const Bundle bundle = load_bundle(path);
  try {
    return Model(bundle);
  } catch (const Error& e) {
    throw Error(path.string(), ": ", e.what());
  }
}

Model embedding_model(const Bundle& bundle) {
  Model model(bundle);
  if (!model.representation.empty()) return model;
  for (const char* name : {"phi", "psi_one"})
    if (bundle.has(name) && bundle.network(name).inputs() == bundle.state_size())
      model.representation = bundle.network(name);
  return model;
}

namespace {

void check_representation(const Model& model) {
  if (model.representation.empty())
    throw Error(
        "the run has no representation of states: train it (alps train --resume), or use a method that learns one");
}

}  // namespace

// in blocks, so that the normalized states are never held beside the observations as a whole
void embed(const Model& model, Observation observations, std::span<float> psi, int threads) {
  constexpr size_t kRows = 16384;
  check_representation(model);
  if (observations.image() != model.image())
    throw Error(model.image() ? "this run was trained on images; observations are uint8"
                              : "observations are uint8, but this run was not trained on images");
  const size_t size = model.observation_size(), rows = observations.size() / size;
  ALPS_CHECK(observations.size() == rows * size && psi.size() == rows * model.eigenvectors());
  std::vector<float> states;
  for (size_t first = 0; first < rows; first += kRows) {
    const size_t n = std::min(kRows, rows - first);
    states.resize(n * model.state_size());
    const Observation block = model.image() ? Observation(observations.bytes().subspan(first * size, n * size))
                                            : Observation(observations.floats().subspan(first * size, n * size));
    model.observe(block, states, threads);
    model.psi(states, psi.subspan(first * model.eigenvectors(), n * model.eigenvectors()), threads);
  }
}

Array embed(const Model& model, const Array& observations, int threads) {
  check_representation(model);
  // one observation alone is taken as one row
  Shape row = observations.shape();
  const size_t rows = observations.size() / std::max<size_t>(1, model.observation_size());
  const Shape one = model.trunk.empty() ? Shape{model.state_size()} : model.trunk.image();
  if (row.size() == one.size() + 1) row.erase(row.begin());
  const DType dtype = model.trunk.empty() ? DType::kFloat32 : DType::kUInt8;
  const bool wide = observations.dtype() == DType::kFloat64 && dtype == DType::kFloat32;  // NumPy's default type
  if (row != one || (observations.dtype() != dtype && !wide))
    throw Error("observations are ", dtype_name(observations.dtype()), " ", shape_text(observations.shape()),
                "; this run expects ", dtype_name(dtype), " rows of ", shape_text(one));

  Array out(DType::kFloat32, {rows, model.eigenvectors()});
  if (!model.trunk.empty())
    embed(model, observations.as<uint8_t>(), out.as<float>(), threads);
  else if (wide)
    embed(model, std::vector<float>(observations.as<double>().begin(), observations.as<double>().end()),
          out.as<float>(), threads);
  else
    embed(model, observations.as<float>(), out.as<float>(), threads);
  return out;
}

}  // namespace alps
