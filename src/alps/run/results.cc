#include "alps/run/results.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <thread>

#include "alps/base/csv_file.h"
#include "alps/base/file.h"
#include "alps/base/hash.h"
#include "alps/base/memory.h"
#include "alps/base/npz.h"
#include "alps/base/version.h"
#include "alps/eval/statistics.h"
#include "alps/world/version.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

using json = nlohmann::json;  // sorts its keys
using ordered = nlohmann::ordered_json;

// "auto" means another precision on another processor, and with it other episodes
PlannerSettings resolved(PlannerSettings settings) {
  settings.precision = precision_named(settings.precision) == Precision::kBf16 ? "bf16" : "fp32";
  return settings;
}

std::string now() {
  const auto time = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count() % 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[40], whole[48];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  std::snprintf(whole, sizeof whole, "%s.%03dZ", text, static_cast<int>(ms));
  return whole;
}

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name"))
      if (const size_t colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "unknown";
}

// which weights acted, beside the settings that they were trained with
std::string model_crc32(const Run& run) {
  if (run.bundle == nullptr || !run.bundle->metadata.contains("crc32")) return "unknown";
  return run.bundle->metadata.at("crc32");
}

// how the weights were made, beside what the configuration says: what the user set, and how long it took
ordered training_of(const Run& run) {
  ordered training = {{"set", user_settings(run.config)}};
  if (const fs::path log = run.folder / "train.csv"; fs::exists(log)) {
    const CsvFile rows = read_csv(log);
    const size_t column = rows.find("time/total_time");
    if (!rows.rows.empty() && column < rows.columns.size())
      training["seconds"] = rows.number(rows.rows.size() - 1, column);
  }
  return training;
}

ordered totals(const EvalResult& result) {
  const Interval all = wilson(result.successes(), result.count());
  ordered tasks = ordered::array();
  for (const int t : result.tasks()) {
    const Interval one = wilson(result.successes(t), result.count(t));
    tasks.push_back({{"task", t},
                     {"successes", result.successes(t)},
                     {"episodes", result.count(t)},
                     {"success", result.success(t)},
                     {"low", one.low},
                     {"high", one.high}});
  }
  return {{"successes", result.successes()},
          {"episodes", result.count()},
          {"success", result.overall_success()},
          {"low", all.low},
          {"high", all.high},
          {"mean_steps", result.mean_steps()},
          {"tasks", tasks},
          {"decision_ms",
           {{"mean", result.mean_decision_ms()}, {"p50", result.decision_ms(0.5)}, {"p99", result.decision_ms(0.99)}}},
          {"seconds", result.seconds}};
}

ordered outcomes(const EvalResult& result) {
  ordered list = ordered::array();
  for (const EpisodeRecord& e : result.episodes)
    list.push_back({{"task", e.task},
                    {"index", e.index},
                    {"outcome", outcome_name(e.outcome)},
                    {"steps", e.steps},
                    {"goal_distance", e.goal_distance},
                    {"replans", e.replans},
                    {"no_routes", e.no_routes}});
  return list;
}

// the ways of all episodes, for pictures
void save_episodes(const fs::path& path, const EvalResult& result) {
  std::vector<float> points, ends, decision_ms;
  std::vector<int64_t> table;
  for (const EpisodeRecord& e : result.episodes) {
    table.insert(table.end(),
                 {e.task, e.index, static_cast<int64_t>(e.outcome), static_cast<int64_t>(points.size() / 2), e.steps});
    ends.insert(ends.end(), {float(e.start.x), float(e.start.y), float(e.goal.x), float(e.goal.y)});
    decision_ms.insert(decision_ms.end(), e.decision_ms.begin(), e.decision_ms.end());
    for (const Point2 p : e.path) points.insert(points.end(), {float(p.x), float(p.y)});
  }
  const size_t n = result.episodes.size();
  NpzWriter out(path);
  out.add("episodes", Array::of<int64_t>({n, 5}, table));  // task, index, outcome, first point, steps
  out.add("ends", Array::of<float>({n, 4}, ends));         // start and goal
  out.add("points", Array::of<float>({points.size() / 2, 2}, points));
  out.add("decision_ms", Array::of<float>({decision_ms.size()}, decision_ms));
  out.finish();
}

// fills in what the arrays hold; the episodes are those of the JSON file beside them
void load_episodes(const fs::path& path, EvalResult& result) {
  const NpzReader file(path);
  const Array table = file.read("episodes"), ends = file.read("ends"), points = file.read("points"),
              decision_ms = file.read("decision_ms");
  const auto refuse = [&] { throw Error(path.string(), " is damaged; remove it and evaluate again with alps eval"); };
  const size_t n = result.episodes.size();
  if (table.row_size() != 5 || table.rows() != n || ends.row_size() != 4 || ends.rows() != n ||
      (points.rows() > 0 && points.row_size() != 2))
    refuse();
  size_t decisions = 0;
  for (size_t i = 0; i < n; ++i) {
    const auto row = table.row<int64_t>(i);
    const auto end = ends.row<float>(i);
    if (row[2] < 0 || row[2] >= kOutcomes || row[3] < 0 || row[4] < 0) refuse();
    EpisodeRecord& e = result.episodes[i];
    e.task = static_cast<int>(row[0]);
    e.index = static_cast<int>(row[1]);
    e.outcome = static_cast<Outcome>(row[2]);
    e.success = e.outcome == Outcome::kSuccess;
    e.steps = static_cast<int>(row[4]);
    e.start = {end[0], end[1]};
    e.goal = {end[2], end[3]};
    const size_t first = static_cast<size_t>(row[3]), steps = static_cast<size_t>(row[4]);
    if (points.rows() > 0 && (first >= points.rows() || steps >= points.rows() - first)) refuse();
    for (size_t k = first; points.rows() > 0 && k <= first + steps; ++k)  // none in a world without a plane
      e.path.push_back({points.row<float>(k)[0], points.row<float>(k)[1]});
    if (decision_ms.rows() - decisions < steps) refuse();
    const auto ms = decision_ms.as<float>().subspan(decisions, steps);
    e.decision_ms.assign(ms.begin(), ms.end());
    decisions += steps;
  }
}

StoredResult load_result(const fs::path& path) {
  const ordered root = ordered::parse(read_text(path), nullptr, false);
  StoredResult r;
  try {
    const ordered& c = root.at("configuration");
    r.config = root.at("config");
    r.finished = root.at("finished");
    r.deterministic = root.at("deterministic");
    r.command = root.at("command");
    r.commit = root.at("commit");
    r.set = root.at("set").get<std::vector<std::string>>();
    r.method = c.at("method");
    r.variant = c.at("variant");
    r.planner = c.at("planner");
    r.backend = c.at("backend");
    r.clusters = c.at("clusters");
    r.result.seconds = root.at("totals").at("seconds");
    for (const ordered& e : root.at("episodes")) {
      EpisodeRecord record;
      record.goal_distance = e.at("goal_distance").is_number() ? e.at("goal_distance").get<double>() : 0;
      record.replans = e.at("replans");
      record.no_routes = e.at("no_routes");
      r.result.episodes.push_back(std::move(record));
    }
  } catch (const ordered::exception&) {
    throw Error(path.string(), " is damaged, or of another version; remove it and evaluate again with alps eval");
  }
  load_episodes(fs::path(path).replace_extension(".npz"), r.result);
  return r;
}

}  // namespace

std::string configuration_json(const Run& run, const EvaluationSetup& setup) {
  const RunConfig& c = run.config;
  json all = {{"data", {{"name", c.data_name}, {"crc32", c.data_crc32}}},
              {"method", c.method},
              {"preset", c.preset},
              {"train_seed", c.seed},
              {"model_crc32", model_crc32(run)},
              {"device", c.device},
              {"precision", c.precision},
              {"settings", json::parse(c.profile.values_json())},
              {"variant", setup.variant},
              {"planner", setup.planner},
              {"clusters", run.graph ? run.graph->clusters() : 0},
              {"tasks", setup.tasks},
              {"episodes", setup.episodes},
              {"seed", setup.seed},
              {"backend", setup.backend},
              {"version", ALPS_VERSION_STRING}};
  if (!setup.planner.empty())
    all["planner_settings"] = json::parse(planner_profile(resolved(setup.settings)).values_json());
  return all.dump();
}

std::string configuration_hash(std::string_view json) { return hash_name(json); }

std::string alps_commit() {
  const char* commit = std::getenv("ALPS_COMMIT");
  return commit != nullptr && *commit != '\0' ? commit : "unknown";
}

std::vector<std::string> user_settings(const RunConfig& config) {
  std::vector<std::string> set;
  for (const Setting& setting : config.profile.settings())
    if (setting.origin == Origin::kUser) set.push_back(setting.key + "=" + setting.text());
  return set;
}

KeptEpisodes kept_episodes(const Run& run, const EvaluationSetup& setup) {
  const std::string configuration = configuration_json(run, setup);
  return {run.folder / "results" / (configuration_hash(configuration) + ".episodes"),
          hash_name(configuration + alps_commit())};
}

std::string save_result(const Run& run, const EvaluationSetup& setup, const EvalResult& result,
                        const fs::path& ledger) {
  const std::string configuration = configuration_json(run, setup), hash = configuration_hash(configuration);
  const fs::path file = run.folder / "results" / (hash + ".json");
  const bool timed = !setup.planner.empty() && setup.settings.budget_ms > 0;
  const ordered root = {
      {"config", hash},
      {"finished", now()},
      {"command", setup.command},
      {"commit", alps_commit()},
      {"versions", {{"alps", ALPS_VERSION_STRING}, {"mujoco", mujoco_version()}}},
      {"trained_with", run.config.versions},
      {"training", training_of(run)},
      {"machine",
       {{"cores", std::thread::hardware_concurrency()}, {"processor", processor()}, {"memory", usable_memory()}}},
      {"deterministic", !timed},
      {"note", timed ? "with budget_ms, what a search finds depends on the speed of the machine; the "
                       "same command gives other episodes"
                     : "the same command gives the same episodes"},
      {"model_crc32", model_crc32(run)},
      {"set", setup.set},
      {"configuration", ordered::parse(configuration)},
      {"totals", totals(result)},
      {"episodes", outcomes(result)}};
  if (fs::exists(file)) {
    const json old = json::parse(read_text(file), nullptr, false);
    // two configurations of one hash: one in 2^64, or an edited file
    if (old.is_object() && old.contains("configuration") && old["configuration"].dump() != configuration)
      throw Error(file.string(), " holds another configuration than its name says; move it away and evaluate again");
  }
  save_episodes(fs::path(file).replace_extension(".npz"), result);
  const std::string text = root.dump(1) + "\n";
  write_text(file, text);
  if (!ledger.empty()) write_text(ledger / file.filename(), text);
  return hash;
}

std::vector<StoredResult> load_results(const fs::path& run) {
  std::vector<StoredResult> results;
  if (fs::is_directory(run / "results"))
    for (const auto& entry : fs::directory_iterator(run / "results"))
      if (entry.path().extension() == ".json") results.push_back(load_result(entry.path()));
  std::ranges::sort(results, [](const StoredResult& a, const StoredResult& b) {
    return std::tie(b.finished, b.config) < std::tie(a.finished, a.config);
  });
  return results;
}

std::vector<StoredResult> newest_results(const fs::path& run) {
  std::vector<StoredResult> newest;
  for (StoredResult& r : load_results(run))
    if (r.backend == "native" && std::ranges::find(newest, r.variant, &StoredResult::variant) == newest.end())
      newest.push_back(std::move(r));
  const std::vector<std::string>& names = variant_names();
  std::ranges::sort(newest, std::greater(),
                    [&](const StoredResult& r) { return std::ranges::find(names, r.variant) - names.begin(); });
  return newest;
}

}  // namespace alps
