#include "alps/nn/model.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "alps/base/threads.h"

namespace alps {
namespace {

namespace fs = std::filesystem;

std::vector<float> vector_of(const Tensors& tensors, const std::string& name, size_t size) {
  const auto values = tensors.at(name, DType::kFloat32, {size}).as<float>();
  for (size_t i = 0; i < size; ++i)
    if (!std::isfinite(values[i]))
      throw Error(tensors.path.string(), ": tensor '", name, "' holds a non-finite value at ", i);
  return {values.begin(), values.end()};
}

void put(Tensors& tensors, const std::string& name, const std::vector<float>& values) {
  tensors.arrays[name] = Array::of<float>({values.size()}, values);
}

// a file of a later alps must not be half understood
void check_format(const Tensors& tensors) {
  const auto found = tensors.metadata.find("format");
  if (found == tensors.metadata.end() || !tensors.metadata.count("alps"))
    throw Error(tensors.path.string(), ": is a safetensors file, but not a model of alps");
  int format = 0;
  const std::string& text = found->second;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), format);
  if (code != std::errc() || end != text.data() + text.size() || format < 1)
    throw Error(tensors.path.string(), ": metadata 'format' is '", text.substr(0, 40), "', not a number");
  if (format > kModelFormat)
    throw Error(tensors.path.string(), ": has format ", format, ", written by a newer alps (",
                tensors.text("alps").substr(0, 40), "); this one reads up to ", kModelFormat, ", please update");
}

void check_finite(const Tensors& tensors) {
  for (const auto& [name, array] : tensors.arrays) {
    if (array.dtype() != DType::kFloat32) continue;
    for (float value : array.as<float>())
      if (!std::isfinite(value)) throw Error(tensors.path.string(), ": tensor '", name, "' holds non-finite values");
  }
}

void expect_size(const Tensors& tensors, const char* part, size_t inputs, size_t outputs, size_t expect_inputs,
                 size_t expect_outputs) {
  if (inputs != expect_inputs || outputs != expect_outputs)
    throw Error(tensors.path.string(), ": part '", part, "' maps ", inputs, " numbers to ", outputs, ", expected ",
                expect_inputs, " to ", expect_outputs);
}

// rows of several arrays side by side
struct Columns {
  std::span<const float> values;
  size_t size;
};
std::vector<float> side_by_side(size_t rows, std::initializer_list<Columns> parts) {
  size_t width = 0;
  for (const Columns& part : parts) {
    ALPS_CHECK(part.values.size() == rows * part.size);
    width += part.size;
  }
  std::vector<float> out(rows * width);
  for (size_t r = 0; r < rows; ++r) {
    float* to = out.data() + r * width;
    for (const Columns& part : parts) to = std::copy_n(part.values.data() + r * part.size, part.size, to);
  }
  return out;
}

}  // namespace

void Model::observe(std::span<const float> observations, std::span<float> states) const {
  if (!trunk.empty()) {
    // pixels as numbers, as environments give them
    std::vector<uint8_t> pixels(observations.size());
    for (size_t i = 0; i < pixels.size(); ++i)
      pixels[i] = static_cast<uint8_t>(std::lround(std::clamp(observations[i], 0.0f, 255.0f)));
    return observe(pixels, states);
  }
  ALPS_CHECK(observations.size() == states.size() && states.size() % state_size() == 0);
  for (size_t i = 0; i < states.size(); ++i) {
    const size_t k = i % state_size();
    states[i] = (observations[i] - mean[k]) / deviation[k];
  }
}

void Model::observe(std::span<const uint8_t> images, std::span<float> states, int threads) const {
  trunk.forward(images, states, threads);
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
  const size_t rows = states.size() / state_size();
  const std::vector<float> in = side_by_side(rows, {{states, state_size()}, {actions, action_size()}});
  std::vector<float> change(states.size());
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
  fs::path file = path;
  if (fs::is_directory(path)) file = path / "model.safetensors";
  if (!fs::exists(file)) throw Error(file.string(), ": no such file; train a run first: alps train NAME --out RUN");
  const Tensors tensors = read_safetensors(file);
  check_format(tensors);
  check_finite(tensors);

  Model model;
  model.metadata = tensors.metadata;
  if (tensors.has("trunk.image")) model.trunk = Trunk::load(tensors);
  const size_t states = model.trunk.empty() ? tensors.at("normalizer.mean").size() : model.trunk.outputs();
  model.mean = vector_of(tensors, "normalizer.mean", states);
  model.deviation = vector_of(tensors, "normalizer.deviation", states);
  for (float value : model.deviation)
    if (!(value > 0)) throw Error(file.string(), ": tensor 'normalizer.deviation' holds values that are not positive");

  if (tensors.has("representation.0.weight")) {
    model.representation = Mlp::load(tensors, "representation");
    const size_t outputs = model.representation.outputs();
    expect_size(tensors, "representation", model.representation.inputs(), outputs, states, outputs);
    model.eigenvalues = vector_of(tensors, "representation.eigenvalues", outputs);
    model.eigenvalues_duals = vector_of(tensors, "representation.eigenvalues_duals", outputs);
  }
  if (tensors.has("model.0.weight")) {
    model.model = Mlp::load(tensors, "model");
    const size_t inputs = model.model.inputs();
    expect_size(tensors, "model", inputs, model.model.outputs(), std::max(inputs, states + 1), states);
    model.change_mean = vector_of(tensors, "model.change_mean", states);
    model.change_deviation = vector_of(tensors, "model.change_deviation", states);
  }
  if (tensors.has("prior.0.weight")) {
    model.prior = Mlp::load(tensors, "prior");
    const size_t actions = model.model.empty() ? model.prior.outputs() : model.action_size();
    expect_size(tensors, "prior", model.prior.inputs(), model.prior.outputs(), states + 2 * model.eigenvectors(),
                actions);
    if (tensors.has("prior.spread")) model.prior_spread = vector_of(tensors, "prior.spread", 1)[0];
    if (tensors.has("prior.way")) model.prior_way = vector_of(tensors, "prior.way", 1)[0];
  }
  return model;
}

void save_model(const fs::path& path, const Model& model) {
  Tensors tensors;
  tensors.metadata = model.metadata;
  tensors.metadata["format"] = std::to_string(kModelFormat);
  if (!tensors.metadata.count("alps")) tensors.metadata["alps"] = "unknown";
  if (!model.trunk.empty()) model.trunk.store(tensors);
  put(tensors, "normalizer.mean", model.mean);
  put(tensors, "normalizer.deviation", model.deviation);
  if (!model.representation.empty()) {
    model.representation.store(tensors, "representation");
    put(tensors, "representation.eigenvalues", model.eigenvalues);
    put(tensors, "representation.eigenvalues_duals", model.eigenvalues_duals);
  }
  if (!model.model.empty()) {
    model.model.store(tensors, "model");
    put(tensors, "model.change_mean", model.change_mean);
    put(tensors, "model.change_deviation", model.change_deviation);
  }
  if (!model.prior.empty()) {
    model.prior.store(tensors, "prior");
    if (model.prior_spread > 0) put(tensors, "prior.spread", {model.prior_spread});
    if (model.prior_way > 0) put(tensors, "prior.way", {model.prior_way});
  }
  write_safetensors(path, tensors);
}

namespace {

void check_representation(const Model& model) {
  if (model.representation.empty())
    throw Error("the run has no representation yet; train it first (alps train --resume)");
}

// in blocks, so that the normalized states are never held beside the observations as a whole
template <class T>
void embed_blocks(const Model& model, std::span<const T> observations, std::span<float> psi, int threads) {
  constexpr size_t kRows = 16384;
  check_representation(model);
  const size_t size = model.observation_size(), rows = observations.size() / size;
  ALPS_CHECK(observations.size() == rows * size && psi.size() == rows * model.eigenvectors());
  std::vector<float> states;
  for (size_t first = 0; first < rows; first += kRows) {
    const size_t n = std::min(kRows, rows - first);
    states.resize(n * model.state_size());
    if constexpr (std::is_same_v<T, uint8_t>)
      model.observe(observations.subspan(first * size, n * size), states, threads);
    else
      model.observe(observations.subspan(first * size, n * size), states);
    model.psi(states, psi.subspan(first * model.eigenvectors(), n * model.eigenvectors()), threads);
  }
}

}  // namespace

void embed(const Model& model, std::span<const float> observations, std::span<float> psi, int threads) {
  embed_blocks(model, observations, psi, threads);
}

void embed(const Model& model, std::span<const uint8_t> images, std::span<float> psi, int threads) {
  if (model.trunk.empty()) throw Error("observations are uint8, but this run was not trained on images");
  embed_blocks(model, images, psi, threads);
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
