#include "alps/nn/bundle.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace alps {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMeaning = "network.";  // prefix of metadata

// a file of another alps must not be half understood
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
                tensors.text("alps").substr(0, 40), "); this one reads format ", kModelFormat, ", please update");
  if (format < kModelFormat)
    throw Error(tensors.path.string(), ": was trained by an older alps (", tensors.text("alps").substr(0, 40),
                "), whose runs this one does not read; train it anew with alps train");
}

void check_finite(const Tensors& tensors) {
  for (const auto& [name, array] : tensors.arrays) {
    if (array.dtype() != DType::kFloat32) continue;
    const auto values = array.as<float>();
    for (size_t i = 0; i < values.size(); ++i)
      if (!std::isfinite(values[i]))
        throw Error(tensors.path.string(), ": tensor '", name, "' holds a non-finite value at ", i);
  }
}

void check_positive(const Bundle& bundle, const fs::path& file, const char* name) {
  for (const float value : bundle.vector(name))
    if (!(value > 0)) throw Error(file.string(), ": tensor '", name, "' holds values that are not positive");
}

// "NAME" of "NAME.0.weight", or nothing
std::string network_of(const std::string& tensor) {
  constexpr std::string_view kFirst = ".0.weight";
  return tensor.ends_with(kFirst) ? tensor.substr(0, tensor.size() - kFirst.size()) : "";
}

bool belongs(const std::string& vector, const std::string& network) { return vector.starts_with(network + "."); }

}  // namespace

const Mlp& Bundle::network(const std::string& name) const {
  const auto found = networks.find(name);
  if (found == networks.end())
    throw Error("the run has no network '", name, "' yet; train it with alps train --resume");
  return found->second;
}

const std::vector<float>& Bundle::vector(const std::string& name) const {
  const auto found = vectors.find(name);
  if (found == vectors.end()) throw Error("the model has no tensor '", name, "'; train the run anew with alps train");
  return found->second;
}

std::vector<float> Bundle::vector_or(const std::string& name, std::vector<float> otherwise) const {
  const auto found = vectors.find(name);
  return found == vectors.end() ? otherwise : found->second;
}

void Bundle::leave(const std::string& name, Mlp network, std::string meaning) {
  networks[name] = std::move(network);
  meanings[name] = std::move(meaning);
}

void Bundle::forget(const std::string& name) {
  networks.erase(name);
  meanings.erase(name);
  std::erase_if(vectors, [&](const auto& entry) { return belongs(entry.first, name); });
}

std::vector<float> Bundle::state_of(Observation seen) const {
  const std::vector<float>&mean = vector("normalizer.mean"), &deviation = vector("normalizer.deviation");
  std::vector<float> state(mean.size());
  if (seen.image())
    trunk.forward(seen.bytes(), state);
  else
    std::ranges::copy(seen.floats(), state.begin());
  for (size_t k = 0; k < state.size(); ++k) state[k] = (state[k] - mean[k]) / deviation[k];
  return state;
}

Bundle load_bundle(const fs::path& path) {
  fs::path file = path;
  if (fs::is_directory(path)) file = path / "model.safetensors";
  if (!fs::exists(file)) throw Error(file.string(), ": no such file; train a run first: alps train NAME --out RUN");
  const Tensors tensors = read_safetensors(file);
  check_format(tensors);
  check_finite(tensors);

  Bundle bundle;
  for (const auto& [key, text] : tensors.metadata)
    if (key.starts_with(kMeaning))
      bundle.meanings[key.substr(std::string_view(kMeaning).size())] = text;
    else if (!key.starts_with(kUnits))
      bundle.metadata[key] = text;
  if (tensors.has("trunk.image")) bundle.trunk = Trunk::load(tensors);
  for (const auto& [name, array] : tensors.arrays)
    if (const std::string network = network_of(name); !network.empty() && !belongs(name, "trunk"))
      bundle.networks[network] = Mlp::load(tensors, network);
  // what is neither the trunk's nor a layer's
  for (const auto& [name, array] : tensors.arrays) {
    const bool layer = name.ends_with(".weight") || name.ends_with(".bias");
    if (layer || belongs(name, "trunk") || array.dtype() != DType::kFloat32) continue;
    bundle.vectors[name].assign(array.as<float>().begin(), array.as<float>().end());
  }
  for (const char* needed : {"normalizer.mean", "normalizer.deviation", "actions.limit"})
    if (!bundle.vectors.contains(needed)) throw Error(file.string(), ": lacks tensor '", needed, "'");
  check_positive(bundle, file, "normalizer.deviation");
  check_positive(bundle, file, "actions.limit");
  if (const auto middle = bundle.vectors.find("actions.middle"); middle != bundle.vectors.end()) {
    if (middle->second.size() != bundle.action_size())
      throw Error(file.string(), ": tensor 'actions.middle' has ", middle->second.size(), " numbers, expected ",
                  bundle.action_size());
    for (const float x : middle->second)
      if (!std::isfinite(x)) throw Error(file.string(), ": tensor 'actions.middle' holds a number that is not finite");
  }
  const size_t states = bundle.trunk.empty() ? bundle.state_size() : bundle.trunk.outputs();
  for (const char* name : {"normalizer.mean", "normalizer.deviation"})
    if (bundle.vector(name).size() != states)
      throw Error(file.string(), ": tensor '", name, "' has ", bundle.vector(name).size(), " numbers, expected ",
                  states);
  return bundle;
}

void save_bundle(const fs::path& path, const Bundle& bundle) {
  Tensors tensors;
  tensors.metadata = bundle.metadata;
  tensors.metadata["format"] = std::to_string(kModelFormat);
  if (!tensors.metadata.count("alps")) tensors.metadata["alps"] = "unknown";
  if (!bundle.trunk.empty()) bundle.trunk.store(tensors);
  for (const auto& [name, network] : bundle.networks) network.store(tensors, name);
  for (const auto& [name, meaning] : bundle.meanings) tensors.metadata[kMeaning + name] = meaning;
  for (const auto& [name, values] : bundle.vectors) tensors.arrays[name] = Array::of<float>({values.size()}, values);
  write_safetensors(path, tensors);
}

}  // namespace alps
