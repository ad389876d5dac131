#include "viewer/settings.h"

#include <algorithm>
#include <set>
#include <thread>

namespace alps::viewer {
namespace {

constexpr int kImagined = 24;          // candidates of each iteration that the page shows
constexpr int kMostShown = 200;        // of them
constexpr int64_t kHeavy = 100'000;    // imagined steps of a decision; beyond it, time is limited
constexpr double kBudgetMs = 2000;     // then
constexpr int64_t kLargest = 500'000;  // steps of one iteration that are held in memory
constexpr uint64_t kMostSeed = 1u << 31;

// shown at first; the others are under "more"
const std::set<std::string> kMain = {"samples", "iterations", "samples_alone", "iterations_alone",
                                     "horizon", "sigma",      "sigma_alone",   "budget_ms"};

const char* kind_of(const Setting& s) {
  static constexpr const char* kKinds[] = {"switch", "whole", "number", "word"};
  return kKinds[s.value.index()];
}

nlohmann::json value_of(const Setting& s) {
  return std::visit([](const auto& value) { return nlohmann::json(value); }, s.value);
}

std::string text_of(const std::string& key, const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean() || value.is_number()) return value.dump();
  throw UsageError(key, " is a number, a word, true, false or null");
}

const std::string& name_of(const std::string& key, const nlohmann::json& value) {
  if (!value.is_string()) throw UsageError(key, " is a name");
  return value.get_ref<const std::string&>();
}

}  // namespace

void Settings::begin_with(const PolicyChoice& choice) {
  variant = choice.variant;
  planner = choice.planner;
  for (const std::string& text : choice.set) own[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
}

void Settings::change(const ViewRun& view, const nlohmann::json& changes) {
  Settings next = *this;
  for (const auto& [key, value] : changes.items()) {
    if (!view.plans() && key != "seed" && key != "axes")
      throw UsageError(key, ": the run's method, ", view.run.config.method, ", does not plan and has no such setting");
    if (key == "variant") {
      next.variant = name_of(key, value);
      variant_named(next.variant);
    } else if (key == "planner") {
      next.planner = name_of(key, value);
    } else if (key == "seed") {
      if (!value.is_number_integer() || value.get<double>() < 0 || value.get<double>() >= kMostSeed)
        throw UsageError("seed is a whole number between 0 and ", kMostSeed - 1);
      next.seed = value.get<uint64_t>();
    } else if (key == "axes") {
      if (!value.is_array() || value.size() != 2) throw UsageError("axes are two names");
      next.axes = {Axis::parse(view, name_of("axis", value[0])), Axis::parse(view, name_of("axis", value[1]))};
    } else if (value.is_null()) {
      planner_profile().at(key);  // a key that does not exist is refused
      next.own.erase(key);
    } else {
      next.own[key] = text_of(key, value);
    }
  }
  next.resolve(view);  // what does not exist, or is out of range, is refused here
  *this = next;
}

PlannerSettings Settings::resolve(const ViewRun& view) const {
  if (!view.plans()) return {};
  PolicyChoice choice{.variant = variant, .planner = planner, .set = {str("shown=", kImagined)}};
  for (const auto& [key, text] : own) choice.set.push_back(key + "=" + text);
  PlannerSettings s = planner_settings(view.run, choice);
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (s.threads > cores) throw UsageError("threads: this machine has ", cores, " cores");
  if (s.shown > kMostShown) throw UsageError("shown: the page draws at most ", kMostShown);
  const CemParams search = search_params(s, variant_named(variant));
  const int64_t steps = static_cast<int64_t>(search.samples) * search.horizon;
  if (steps > kLargest) throw UsageError("samples times horizon is at most ", kLargest, " on this page");
  const bool heavy = steps * search.iterations > kHeavy;
  if ((heavy && s.budget_ms == 0) || s.budget_ms > kBudgetMs) s.budget_ms = kBudgetMs;
  return s;
}

nlohmann::json Settings::json(const ViewRun& view) const {
  nlohmann::json values, keys = nlohmann::json::array(), looks = {axes[0].text(), axes[1].text()};
  if (!view.plans()) return {{"seed", seed}, {"axes", looks}};
  const Profile resolved = planner_profile(resolve(view));
  for (const Setting& s : resolved.settings()) values[s.key] = value_of(s);
  for (const auto& [key, text] : own) keys.push_back(key);
  return {{"variant", variant}, {"planner", planner}, {"seed", seed},
          {"axes", looks},      {"values", values},   {"own", keys}};
}

nlohmann::json table() {
  nlohmann::json settings = nlohmann::json::array(), variants = nlohmann::json::array();
  const Profile profile = planner_profile();
  for (const Setting& s : profile.settings())
    settings.push_back({{"key", s.key},
                        {"kind", kind_of(s)},
                        {"least", s.range.least},
                        {"most", s.range.most},
                        {"choices", s.choices},
                        {"help", s.help},
                        {"main", kMain.contains(s.key)}});
  for (const std::string& name : variant_names()) {
    const Variant variant = variant_named(name);
    variants.push_back({{"name", name}, {"search", variant.search}, {"unused", unused_settings(variant)}});
  }
  return {{"settings", settings}, {"variants", variants}, {"planners", {"run", "fast", "paper"}}};
}

}  // namespace alps::viewer
