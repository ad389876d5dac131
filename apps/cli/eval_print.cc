#include "cli/eval_print.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "alps/eval/statistics.h"
#include "cli/table.h"

namespace alps::cli {
namespace {

std::string percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.1f", 100 * share);
  return text;
}

std::string figure(double value, const char* format = "%.1f") {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

void print_result(const EvalResult& result) {
  Table table({"task", ">success %", ">95 % interval", ">episodes", ">mean steps"});
  auto add = [&](const std::string& name, int task) {
    const Interval interval = wilson(result.successes(task), result.count(task));
    double steps = 0;
    for (const EpisodeRecord& e : result.episodes)
      if (e.success && (task == 0 || e.task == task)) steps += e.steps;
    const size_t good = result.successes(task);
    table.add({name, percent(result.success(task)), percent(interval.low) + " - " + percent(interval.high),
               std::to_string(result.count(task)), good ? figure(steps / good, "%.0f") : "-"});
  };
  for (const int task : result.tasks()) add(str("task", task), task);
  add("overall", 0);
  table.print();

  const auto census = result.census();
  std::string failures;
  for (int o = 1; o < kOutcomes; ++o)
    if (census[o] > 0)
      failures += str(failures.empty() ? "" : ", ", census[o], " ", outcome_name(static_cast<Outcome>(o)));
  double steps = 0;
  for (const EpisodeRecord& e : result.episodes) steps += e.steps;
  std::printf(
      "\nfailures: %s\n%.0f decisions/s on this machine; one takes %.2f ms (p50), %.2f ms (p99); %.1f s in all\n",
      failures.empty() ? "none" : failures.c_str(), steps / result.seconds, result.decision_ms(0.5),
      result.decision_ms(0.99), result.seconds);
}

void print_json(const EvalResult& result, const std::filesystem::path& file) {
  const Interval interval = wilson(result.successes(), result.count());
  nlohmann::json tasks = nlohmann::json::object(), failures = nlohmann::json::object();
  size_t decisions = 0;
  for (const EpisodeRecord& e : result.episodes) decisions += e.decision_ms.size();
  for (const int t : result.tasks()) tasks[str("task", t)] = result.success(t);
  const auto census = result.census();
  for (int o = 1; o < kOutcomes; ++o)
    if (census[o] > 0) failures[outcome_name(static_cast<Outcome>(o))] = census[o];
  std::printf(
      "%s\n",
      nlohmann::json{
          {"config", file.stem().string()},
          {"file", file.string()},
          {"success", result.overall_success()},
          {"low", interval.low},
          {"high", interval.high},
          {"successes", result.successes()},
          {"episodes", result.count()},
          {"mean_steps", result.mean_steps()},
          {"decisions", decisions},
          {"tasks", tasks},
          {"failures", failures},
          {"decision_ms",
           {{"mean", result.mean_decision_ms()}, {"p50", result.decision_ms(0.5)}, {"p99", result.decision_ms(0.99)}}},
          {"seconds", result.seconds}}
          .dump(1)
          .c_str());
}

}  // namespace alps::cli
