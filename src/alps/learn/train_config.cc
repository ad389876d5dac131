#include "alps/learn/train_config.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <sstream>

#include "alps/base/error.h"

namespace alps {
namespace {

using json = nlohmann::ordered_json;

// calls visit(key, field, least, most, help) for every field; words carry their choices as the help's first part
template <class Config, class Visit>
void visit_fields(Config& c, Visit&& visit) {
  constexpr double kMany = 1e9;
  visit("jump_factor", c.jump_factor, 0, 1e6, "cut episodes where the state leaps by so many ordinary steps; 0: never");
  visit("still_share", c.still_share, 0, 1, "leave out stretches in which less than this share of the usual moves");
  visit("eigenvectors", c.eigenvectors, 1, 1024, "outputs of the encoder (the constant one excluded)");
  visit("encoder_layers", c.encoder_layers, 2, 16, "linear layers of the encoder");
  visit("encoder_width", c.encoder_width, 1, 8192, "its hidden width");
  visit("objective", c.objective, 0, 0, "allo|logdet");
  visit("slow_gain", c.slow_gain, 0, 2, "power of a column's slowness by which its first weights are larger");
  visit("gamma", c.gamma, 0, 0.9999, "geometric distribution of the time between a pair");
  visit("representation_steps", c.representation_steps, 1, kMany, "");
  visit("representation_batch", c.representation_batch, 2, 1 << 20, "pairs, and rows of each of ALLO's other batches");
  visit("constraint_batches", c.constraint_batches, 1, 2,
        "of ALLO's own: 2, or 1, with the states of the pairs as the first");
  visit("representation_lr", c.representation_lr, 1e-12, 10, "");
  visit("dual_start", c.dual_start, -1e6, 1e6, "");
  visit("dual_step", c.dual_step, 0, 1e6, "times the learning rate");
  visit("dual_min", c.dual_min, -1e6, 1e6, "");
  visit("dual_max", c.dual_max, -1e6, 1e6, "");
  visit("barrier", c.barrier, 0, 1e6, "coefficient of the quadratic term");
  visit("rayleigh_ritz", c.rayleigh_ritz, 0, 0, "off|outputs|hidden");
  visit("psi_power", c.psi_power, 0, 2, "psi_i = phi_i / lambda_i^power; 0.5: commute time, 1: biharmonic distance");
  if (c.method == "pclast") {
    visit("inverse_horizon", c.inverse_horizon, 1, 10000, "actions are told from states 1 .. so many steps apart");
    visit("positive_horizon", c.positive_horizon, 1, 10000, "states 1 .. so many steps apart are drawn together");
  }
  visit("model_layers", c.model_layers, 2, 16, "linear layers of the forward model");
  visit("model_width", c.model_width, 1, 8192, "");
  visit("model_horizon", c.model_horizon, 1, 10000, "H_f, steps predicted from predictions");
  visit("model_steps", c.model_steps, 1, kMany, "");
  visit("model_batch", c.model_batch, 1, 1 << 20, "windows of model_horizon steps");
  visit("model_lr", c.model_lr, 1e-12, 10, "");
  visit("model_unit", c.model_unit, 0, 0, "state|change");
  visit("prior_layers", c.prior_layers, 2, 16, "linear layers of the behaviour prior");
  visit("prior_width", c.prior_width, 1, 8192, "");
  visit("prior_horizon", c.prior_horizon, 1, 1e6, "K_max, the goal lies 1 .. K_max steps ahead");
  visit("prior_steps", c.prior_steps, 1, kMany, "");
  visit("prior_batch", c.prior_batch, 1, 1 << 20, "");
  visit("prior_lr", c.prior_lr, 1e-12, 10, "");
  visit("prior_loss", c.prior_loss, 0, 0, "square|censored");
  TrunkSettings::fields(c.trunk, [&](const char* key, auto& field, auto&& bound, const char* help) {
    if constexpr (std::is_convertible_v<decltype(bound), Range>) {
      visit(key, field, bound.least, bound.most, help);
    } else {
      std::string choices;
      for (const std::string& choice : bound) choices += (choices.empty() ? "" : "|") + choice;
      visit(key, field, 0, 0, choices.empty() ? help : choices.c_str());
    }
  });
  visit("lr_schedule", c.lr_schedule, 0, 0, "constant|cosine");
  visit("log_every", c.log_every, 1, kMany, "steps between rows of train.csv");
  visit("validate_every", c.validate_every, 1, kMany, "steps between validation losses");
  visit("checkpoint_seconds", c.checkpoint_seconds, 0, kMany, "between checkpoints");
}

std::string field_text(const std::string& value) { return value; }
std::string field_text(int value) { return std::to_string(value); }
std::string field_text(double value) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

void parse(std::string& field, const std::string& text) { field = text; }
template <class T>
void parse(T& field, const std::string& text) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), field);
  if (code != std::errc() || end != text.data() + text.size())
    throw UsageError("'", text, "' is not a", std::is_integral_v<T> ? " whole" : "", " number");
}

bool is_choice(const std::string& value, const std::string& choices) {
  std::istringstream list(choices);
  for (std::string choice; std::getline(list, choice, '|');)
    if (choice == value) return true;
  return false;
}

}  // namespace

std::vector<ConfigField> config_fields(const TrainConfig& config) {
  std::vector<ConfigField> fields;
  visit_fields(config, [&](const char* key, const auto& field, double, double, const char* help) {
    fields.push_back({key, field_text(field), help});
  });
  return fields;
}

TrainConfig preset_config(const std::string& preset, const std::string& data_name, bool image,
                          const std::string& method) {
  if (preset != "fast" && preset != "paper") throw UsageError("no preset '", preset, "'; there are fast and paper");
  TrainConfig config;
  config.preset = preset;
  config.method = method;
  if (method == "pclast") {
    config.trunk.latent = 256;
    config.trunk.trunk_start = "tents";
  }

  // the paper's table by family of data set
  const bool maze2d = data_name.find("maze2d") != std::string::npos;
  const bool manipulation =
      data_name.starts_with("cube") || data_name.starts_with("scene") || data_name.starts_with("puzzle");
  if (maze2d || manipulation) config.gamma = 0.2;
  if (maze2d) config.model_horizon = 3;

  if (preset == "paper") {
    const int steps = image ? 500'000 : 1'000'000;
    config.representation_steps = config.model_steps = config.prior_steps = steps;
    config.representation_batch = config.model_batch = config.prior_batch = image ? 256 : 1024;
    config.representation_lr = 1e-4;
    config.model_lr = config.prior_lr = 3e-4;
    config.rayleigh_ritz = "off";
    config.model_unit = "state";
    config.lr_schedule = "constant";
    config.log_every = config.validate_every = 5000;
    config.checkpoint_seconds = 600;
  } else {
    config.constraint_batches = 1;
    if (image) {
      // orthonormality from the start by the barrier alone: duals that start at -1 hold 32 equal functions together for
      // thousands of steps
      config.representation_batch = 256;
      config.representation_steps = 2000;
      config.dual_start = 0;
      config.barrier = 2;
      config.model_width = 256;
      config.model_batch = 512;
      config.model_lr = 2e-3;
      config.model_steps = 8000;
    }
    if (data_name.find("teleport") != std::string::npos) config.jump_factor = 10;
    // distances that rank states by travel time, and plan as well as the paper's 0.5 (docs/training.md)
    if (!maze2d && !manipulation) config.psi_power = 0.75;
    // a body whose place is two of many columns, and that can fall (docs/experiments.md)
    if (data_name.starts_with("antmaze") || data_name.starts_with("humanoidmaze")) {
      config.slow_gain = 0.75;
      config.still_share = 0.5;
      config.objective = "logdet";
      config.representation_steps = 3000;
      config.model_width = 256;
      config.model_steps = 6000;
      config.prior_horizon = 25;
      config.prior_width = 256;
      config.prior_steps = 60000;
      // behaviour that explores says little about the way to a goal: the search needs a better model, and the prior
      // must find what was wished under noise that is as large as the actions
      if (data_name.find("explore") != std::string::npos) {
        config.model_steps = 24000;
        config.prior_loss = "censored";
      }
    }
    // a point needs no 512 units (docs/training.md): same success, half the time of a decision
    if (data_name.starts_with("pointmaze")) {
      config.model_width = 128;
      config.prior_width = 256;
    }
  }
  return config;
}

void set_field(TrainConfig& config, std::string_view assignment) {
  const size_t equal = assignment.find('=');
  if (equal == std::string_view::npos) throw UsageError("'", assignment, "' is not of the form key=value");
  const std::string key(assignment.substr(0, equal)), value(assignment.substr(equal + 1));
  bool found = false;
  std::string all;
  visit_fields(config, [&](const char* name, auto& field, double, double, const char*) {
    all += str(all.empty() ? "" : ", ", name);
    if (key != name) return;
    found = true;
    try {
      parse(field, value);
    } catch (const UsageError& e) {
      throw UsageError(key, ": ", e.what());
    }
  });
  if (!found) throw UsageError("no setting '", key, "'; there are ", all);
  check_config(config);
}

void check_config(const TrainConfig& config) {
  if (config.method != "allo" && config.method != "pclast")
    throw UsageError("no method '", config.method, "'; there are allo and pclast");
  visit_fields(config, [&](const char* key, const auto& field, double least, double most, const char* help) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, std::string>) {
      if (std::string_view(help).find('|') != std::string_view::npos && !is_choice(field, help))
        throw UsageError(key, " is '", field, "', not one of ", help);
    } else if (!(field >= least && field <= most)) {
      throw UsageError(key, " is ", field_text(field), ", outside ", field_text(least), " .. ", field_text(most));
    }
  });
}

std::string config_json(const TrainConfig& config) {
  json object = {{"preset", config.preset}, {"method", config.method}};
  visit_fields(config, [&](const char* key, const auto& field, double, double, const char*) { object[key] = field; });
  return object.dump();
}

TrainConfig config_from_json(const std::string& text, const std::string& where) {
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) throw Error(where, ": the training settings are not a JSON object");
  TrainConfig config;
  if (object.contains("preset") && object["preset"].is_string()) config.preset = object["preset"].get<std::string>();
  if (object.contains("method") && object["method"].is_string()) config.method = object["method"].get<std::string>();
  visit_fields(config, [&](const char* key, auto& field, double, double, const char*) {
    if (!object.contains(key)) return;  // a run of an older alps: what it did is the default
    const json& value = object[key];
    using Field = std::decay_t<decltype(field)>;
    const bool fits = std::is_same_v<Field, std::string> ? value.is_string()
                      : std::is_same_v<Field, int>       ? value.is_number_integer()
                                                         : value.is_number();
    if (!fits)
      throw Error(where, ": the setting '", key, "' is ", value.dump().substr(0, 40), ", which has the wrong type");
    field = value.get<Field>();
  });
  try {
    check_config(config);
  } catch (const UsageError& e) {
    throw Error(where, ": ", e.what());
  }
  return config;
}

const std::vector<std::string>& part_names() {
  static const std::vector<std::string> names = {"representation", "model", "prior"};
  return names;
}

bool shapes_training(const std::string& key) {
  return key != "log_every" && key != "validate_every" && key != "checkpoint_seconds";
}

}  // namespace alps
