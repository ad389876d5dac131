#include "viewer/settings.h"

namespace alps::viewer {
namespace {

constexpr int kImagined = 24;        // candidates of each iteration that the page shows
constexpr int64_t kHeavy = 100'000;  // imagined steps of a decision; beyond it, time is limited
constexpr double kBudgetMs = 2000;   // then
constexpr uint64_t kMostSeed = 1u << 31;

int whole_number(const std::string& key, const nlohmann::json& value, int least, int most) {
  const bool whole = value.is_number_integer() || value.is_number_unsigned();
  if (!whole || value.get<double>() < least || value.get<double>() > most)
    throw UsageError(key, " is a whole number between ", least, " and ", most);
  return value.get<int>();
}

}  // namespace

void Settings::change(const ViewRun& view, const nlohmann::json& changes) {
  Settings next = *this;
  const auto number = [](const std::string& key, const nlohmann::json& value, int most) -> std::optional<int> {
    if (value.is_null()) return std::nullopt;
    return whole_number(key, value, 1, most);
  };
  for (const auto& [key, value] : changes.items()) {
    const bool text = key == "variant" || key == "preset";
    if (text && !value.is_string()) throw UsageError(key, " is a name");
    if (key == "variant") {
      next.variant = value.get<std::string>();
    } else if (key == "preset") {
      next.preset = value.get<std::string>();
    } else if (key == "samples") {
      next.samples = number(key, value, 5000);
    } else if (key == "iterations") {
      next.iterations = number(key, value, 50);
    } else if (key == "horizon") {
      next.horizon = number(key, value, 100);
    } else if (key == "seed") {
      next.seed = whole_number(key, value, 0, kMostSeed - 1);
    } else if (key == "axes") {
      if (!value.is_array() || value.size() != 2 || !value[0].is_string() || !value[1].is_string())
        throw UsageError("axes are two names");
      next.axes = {Axis::parse(view, value[0].get<std::string>()), Axis::parse(view, value[1].get<std::string>())};
    } else {
      throw UsageError("no setting '", key, "'");
    }
  }
  next.resolve(view);  // names that do not exist are refused here
  *this = next;
}

PlannerConfig Settings::resolve(const ViewRun& view) const {
  PlannerConfig config = planner_config(view.run, {.variant = variant, .planner = preset});
  config.cem.samples = samples.value_or(config.cem.samples);
  config.cem.iterations = iterations.value_or(config.cem.iterations);
  config.cem.horizon = horizon.value_or(config.cem.horizon);
  config.cem.shown = kImagined;
  // a large search must not keep the page waiting
  const int64_t steps = static_cast<int64_t>(config.cem.samples) * config.cem.iterations * config.cem.horizon;
  if (steps > kHeavy) config.budget_ms = kBudgetMs;
  return config;
}

nlohmann::json Settings::json(const ViewRun& view) const {
  const PlannerConfig c = resolve(view);
  return {
      {"variant", variant},
      {"preset", preset},
      {"samples", c.cem.samples},
      {"iterations", c.cem.iterations},
      {"horizon", c.cem.horizon},
      {"own",
       {{"samples", samples.has_value()}, {"iterations", iterations.has_value()}, {"horizon", horizon.has_value()}}},
      {"budget_ms", c.budget_ms},
      {"seed", seed},
      {"axes", {axes[0].text(), axes[1].text()}}};
}

}  // namespace alps::viewer
