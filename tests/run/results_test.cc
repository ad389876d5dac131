// Results in RUN/results: what the HASH depends on, what a result holds when it is read back, and rows of CSV files.
#include "alps/run/results.h"

#include <gtest/gtest.h>

#include <ctime>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "../base/temp_folder.h"
#include "../plan/line_world.h"
#include "alps/base/file.h"
#include "alps/eval/statistics.h"
#include "alps/run/profiles.h"
#include "alps/run/result_rows.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

alps::Run line_run(const fs::path& folder) {
  alps::Run run{.folder = folder, .config = {}, .bundle = nullptr, .model = line_model(), .graph = line_graph()};
  run.config.data_name = "line-v0";
  run.config.data_crc32 = "0123abcd";
  run.config.seed = 3;
  run.config.profile = planning_profile();
  return run;
}

EvaluationSetup line_setup() {
  EvaluationSetup setup{
      .variant = "alps", .planner = "run", .settings = line_settings(), .tasks = {1, 3}, .episodes = 2};
  setup.settings.precision = "fp32";
  setup.command = "alps eval 'my run' --tasks 1,3";
  return setup;
}

// two episodes of two tasks, one of them a failure
EvalResult line_result() {
  EvalResult result{.episodes = {}, .seconds = 1.5};
  for (int i = 0; i < 4; ++i) {
    EpisodeRecord e{.task = i < 2 ? 1 : 3, .index = i % 2};
    e.outcome = i == 3 ? Outcome::kStuck : Outcome::kSuccess;
    e.success = i != 3;
    e.steps = i + 1;
    e.goal_distance = 0.25 * i;
    e.replans = i;
    e.start = {1.0 * i, 2};
    e.goal = {4, 1.0 * i};
    for (int k = 0; k <= e.steps; ++k) e.path.push_back({1.0 * k, 10.0 * i});
    for (int k = 0; k < e.steps; ++k) e.decision_ms.push_back(static_cast<float>(10 * i + k));
    result.episodes.push_back(e);
  }
  return result;
}

std::string hash_of(const alps::Run& run, const EvaluationSetup& setup) {
  return configuration_hash(configuration_json(run, setup));
}

std::string line_of(const CsvRow& row, std::string CsvCell::*part) {
  std::string line;
  for (const CsvCell& cell : row) line += (line.empty() ? "" : "|") + cell.*part;
  return line;
}

std::string value(const CsvRow& row, const std::string& column) {
  for (const CsvCell& cell : row)
    if (cell.column == column) return cell.value;
  return "no such column";
}

TEST(Results, HashIsFnv) {
  // reference values of the function's authors
  EXPECT_EQ(configuration_hash(""), "cbf29ce484222325");
  EXPECT_EQ(configuration_hash("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(configuration_hash("foobar"), "85944171f73967e8");
}

TEST(Results, HashDependsOnTheWholeConfiguration) {
  std::set<std::string> seen = {hash_of(line_run(""), line_setup())};
  const auto other = [&](const char* what, auto&& change) {
    alps::Run run = line_run("");
    EvaluationSetup setup = line_setup();
    change(run, setup);
    EXPECT_TRUE(seen.insert(hash_of(run, setup)).second) << what;
  };
  using R = alps::Run&;
  using S = EvaluationSetup&;
  other("data name", [](R run, S) { run.config.data_name = "line-v1"; });
  other("data", [](R run, S) { run.config.data_crc32 = "0123abce"; });
  other("method", [](R run, S) { run.config.method = "pclast"; });
  other("preset", [](R run, S) { run.config.preset = "paper"; });
  other("training seed", [](R run, S) { run.config.seed = 4; });
  other("weights", [](R run, S) {
    auto bundle = std::make_shared<Bundle>();
    bundle->metadata["crc32"] = "00000001";
    run.bundle = bundle;
  });
  other("other weights", [](R run, S) {
    auto bundle = std::make_shared<Bundle>();
    bundle->metadata["crc32"] = "00000002";
    run.bundle = bundle;
  });
  other("training precision", [](R run, S) { run.config.precision = "bf16"; });
  other("setting of the run", [](R run, S) { run.config.profile.parse("reach_steps=7"); });
  other("clusters", [](R run, S) {
    auto graph = std::make_shared<ClusterGraph>(*run.graph);
    graph->sizes.push_back(1);
    run.graph = graph;
  });
  other("no graph", [](R run, S) { run.graph = nullptr; });
  other("variant", [](R, S setup) { setup.variant = "cem"; });
  other("planner", [](R, S setup) { setup.planner = "paper"; });
  other("setting of the planner", [](R, S setup) { setup.settings.sigma += 1e-9; });
  other("budget_ms", [](R, S setup) { setup.settings.budget_ms = 5; });
  other("tasks", [](R, S setup) { setup.tasks = {1, 2, 3}; });
  other("episodes", [](R, S setup) { setup.episodes = 3; });
  other("seed", [](R, S setup) { setup.seed = 1; });
  other("backend", [](R, S setup) { setup.backend = "ogbench"; });
  EXPECT_EQ(seen.size(), 20u);

  // where the run lies, how the command was written and who trained it with how many threads do not matter
  alps::Run run = line_run("elsewhere");
  run.config.threads = 9;
  run.config.data_path = "/elsewhere";
  EvaluationSetup setup = line_setup();
  setup.command = "another";
  setup.set = {"sigma=0.5"};
  EXPECT_EQ(hash_of(run, setup), hash_of(line_run(""), line_setup()));
}

TEST(Results, PrecisionIsThatOfThisProcessor) {
  EvaluationSetup chosen = line_setup();
  chosen.settings.precision = "auto";
  const auto all = nlohmann::json::parse(configuration_json(line_run(""), chosen));
  EXPECT_EQ(all["planner_settings"]["precision"], has_bf16() ? "bf16" : "fp32");
}

TEST(Results, ReadBackAsTheyWere) {
  const TempFolder folder;
  const alps::Run run = line_run(folder / "run");
  const EvaluationSetup setup = line_setup();
  const EvalResult result = line_result();
  const std::string hash = save_result(run, setup, result);
  EXPECT_EQ(hash, hash_of(run, setup));
  const std::vector<StoredResult> all = load_results(run.folder);
  ASSERT_EQ(all.size(), 1u);
  const StoredResult& read = all[0];
  EXPECT_EQ(read.config, hash);
  EXPECT_EQ(read.command, setup.command);
  EXPECT_EQ(read.commit, alps_commit());
  std::tm utc{};
  const char* rest = strptime(read.finished.c_str(), "%Y-%m-%dT%H:%M:%S", &utc);
  ASSERT_NE(rest, nullptr) << read.finished;
  EXPECT_TRUE(rest[0] == '.' && std::string(rest).ends_with('Z')) << read.finished;
  EXPECT_NEAR(static_cast<double>(timegm(&utc)), static_cast<double>(std::time(nullptr)), 60);
  EXPECT_EQ(read.variant, "alps");
  EXPECT_EQ(read.name(), "alps");
  EXPECT_EQ(read.planner, "run");
  EXPECT_EQ(read.method, "alps");
  EXPECT_EQ(read.backend, "native");
  EXPECT_EQ(read.clusters, 5);
  EXPECT_TRUE(read.deterministic);
  EXPECT_EQ(read.result.seconds, 1.5);
  ASSERT_EQ(read.result.episodes.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    const EpisodeRecord &a = read.result.episodes[i], &b = result.episodes[i];
    EXPECT_EQ(std::tie(a.task, a.index, a.outcome, a.success, a.steps, a.replans, a.no_routes, a.goal_distance),
              std::tie(b.task, b.index, b.outcome, b.success, b.steps, b.replans, b.no_routes, b.goal_distance));
    EXPECT_EQ(a.decision_ms, b.decision_ms);
    EXPECT_EQ(a.start.x, b.start.x);
    EXPECT_EQ(a.goal.y, b.goal.y);
    ASSERT_EQ(a.path.size(), b.path.size());
    for (size_t k = 0; k < a.path.size(); ++k)
      EXPECT_EQ(std::tie(a.path[k].x, a.path[k].y), std::tie(b.path[k].x, b.path[k].y));
  }
  // totals for those who read the file without us
  const auto root = nlohmann::json::parse(read_text(run.folder / "results" / (hash + ".json")));
  EXPECT_EQ(root["totals"]["success"], 0.75);
  EXPECT_EQ(root["totals"]["low"], wilson(3, 4).low);
  EXPECT_EQ(root["totals"]["mean_steps"], 2);
  EXPECT_EQ(root["totals"]["tasks"][1]["success"], 0.5);
  EXPECT_EQ(root["totals"]["decision_ms"]["mean"], result.mean_decision_ms());
  EXPECT_EQ(root["episodes"][3]["outcome"], outcome_name(Outcome::kStuck));
  EXPECT_EQ(root["configuration"].dump(), configuration_json(run, setup));
  EXPECT_GE(root["machine"]["cores"], 1);
}

TEST(Results, EpisodesWithoutAPlaneHaveNoPaths) {
  const TempFolder folder;
  const alps::Run run = line_run(folder / "run");
  EvalResult result = line_result();
  for (EpisodeRecord& e : result.episodes) e.path.clear();
  save_result(run, line_setup(), result);
  const std::vector<StoredResult> all = load_results(run.folder);
  ASSERT_EQ(all.size(), 1u);
  for (const EpisodeRecord& e : all[0].result.episodes) EXPECT_TRUE(e.path.empty());
}

TEST(Results, AnotherConfigurationHasAnotherFile) {
  const TempFolder folder;
  const alps::Run run = line_run(folder / "run");
  const auto files = [&] {
    return std::distance(fs::directory_iterator(run.folder / "results"), fs::directory_iterator());
  };
  save_result(run, line_setup(), line_result());
  EXPECT_EQ(files(), 2);
  // the same once more: its own files, with what is new
  EvalResult later = line_result();
  later.seconds = 9;
  save_result(run, line_setup(), later);
  EXPECT_EQ(files(), 2);
  EXPECT_EQ(load_results(run.folder)[0].result.seconds, 9);

  EvaluationSetup timed = line_setup();
  timed.settings.budget_ms = 2;
  const std::string hash = save_result(run, timed, line_result());
  EXPECT_EQ(files(), 4);
  const std::vector<StoredResult> all = load_results(run.folder);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_GE(all[0].finished, all[1].finished);
  for (const StoredResult& r : all) {
    EXPECT_EQ(r.deterministic, r.config != hash);
    EXPECT_EQ(r.result.seconds, r.config == hash ? 1.5 : 9);
  }
}

TEST(Results, WhatTrainingTells) {
  const TempFolder folder;
  alps::Run run = line_run(folder / "run");
  run.config.profile.parse("reach_steps=7");
  write_text(run.folder / "train.csv", "part,step,time/total_time\nmodel,10,12.5\nprior,20,31.25\n");
  EXPECT_EQ(user_settings(run.config), (std::vector<std::string>{"reach_steps=7"}));
  // the same file in the folder of the run and in a ledger
  const std::string hash = save_result(run, line_setup(), line_result(), folder / "lab/ledger");
  const std::string text = read_text(run.folder / "results" / (hash + ".json"));
  EXPECT_EQ(read_text(folder / "lab/ledger" / (hash + ".json")), text);
  EXPECT_FALSE(fs::exists(folder / "lab/ledger" / (hash + ".npz")));
  const auto root = nlohmann::json::parse(text);
  EXPECT_EQ(root["training"]["set"], nlohmann::json({"reach_steps=7"}));
  EXPECT_EQ(root["training"]["seconds"], 31.25);
  EXPECT_GT(root["machine"]["memory"], 1 << 20);
  // readers of many files stop at the episodes
  EXPECT_GT(text.find(",\n \"episodes\": ["), text.find("\"totals\""));
}

TEST(Results, NewestOfEachVariant) {
  const TempFolder folder;
  alps::Run run = line_run(folder / "run");
  EXPECT_TRUE(load_results(run.folder).empty());
  EXPECT_TRUE(newest_results(run.folder).empty());
  const auto save = [&](const char* variant, const char* backend, uint64_t seed, const char* finished) {
    EvaluationSetup setup = line_setup();
    setup.variant = variant;
    setup.backend = backend;
    setup.seed = seed;
    const std::string hash = save_result(run, setup, line_result());
    const fs::path file = run.folder / "results" / (hash + ".json");
    auto root = nlohmann::ordered_json::parse(read_text(file));
    root["finished"] = finished;
    write_text(file, root.dump());
    return hash;
  };
  save("cem", "native", 0, "2026-01-01T00:00:00.000Z");
  const std::string cem = save("cem", "native", 1, "2026-01-03T00:00:00.000Z");
  save("cem", "native", 2, "2026-01-02T00:00:00.000Z");
  save("cem", "ogbench", 1, "2026-01-09T00:00:00.000Z");
  const std::string whole = save("alps", "native", 1, "2025-01-01T00:00:00.000Z");
  EXPECT_EQ(load_results(run.folder).size(), 5u);
  const std::vector<StoredResult> newest = newest_results(run.folder);
  ASSERT_EQ(newest.size(), 2u);
  EXPECT_EQ(newest[0].config, whole);
  EXPECT_EQ(newest[1].config, cem);
}

TEST(Results, DamageIsSaid) {
  const TempFolder folder;
  const alps::Run run = line_run(folder / "run");
  const std::string hash = save_result(run, line_setup(), line_result());
  const fs::path json = run.folder / "results" / (hash + ".json"), npz = run.folder / "results" / (hash + ".npz");
  const std::string text = read_text(json), arrays = read_text(npz);
  const auto told = [&] { return error_of([&] { load_results(run.folder); }); };
  for (const std::string& broken :
       {text.substr(0, text.size() / 2), std::string("{}"), std::string("[1]"), std::string()}) {
    write_text(json, broken);
    EXPECT_NE(told().find(hash + ".json is damaged"), std::string::npos) << broken;
    EXPECT_NE(told().find("evaluate again"), std::string::npos);
  }
  write_text(json, text);
  write_text(npz, arrays.substr(0, arrays.size() - 100));
  EXPECT_NE(told().find(hash + ".npz"), std::string::npos);
  // arrays of other episodes than the JSON file tells of
  EvaluationSetup setup = line_setup();
  setup.seed = 8;
  EvalResult fewer = line_result();
  fewer.episodes.pop_back();
  const std::string other = save_result(run, setup, fewer);
  fs::copy_file(run.folder / "results" / (other + ".npz"), npz, fs::copy_options::overwrite_existing);
  EXPECT_NE(told().find(hash + ".npz is damaged"), std::string::npos);
  write_text(npz, arrays);
  EXPECT_EQ(told(), "");
  // a file whose content belongs to another name is not overwritten
  fs::copy_file(run.folder / "results" / (other + ".json"), json, fs::copy_options::overwrite_existing);
  EXPECT_NE(error_of([&] { save_result(run, line_setup(), line_result()); }).find("another configuration"),
            std::string::npos);
}

TEST(Results, RowsNameTheConfiguration) {
  const alps::Run run = line_run("");
  EvaluationSetup setup = line_setup();
  setup.set = {"samples=8", "sigma=0.1"};
  setup.settings.budget_ms = 2.5;
  const EvalResult result = line_result();
  const CsvRow row = eval_row(run, setup, 3, &result), ledger = ledger_row(run, setup, &result);
  for (const CsvRow& r : {row, ledger}) {
    EXPECT_EQ(value(r, "config"), hash_of(run, setup));
    EXPECT_EQ(value(r, "method"), "alps");
    EXPECT_EQ(value(r, "clusters"), "5");
    EXPECT_EQ(value(r, "set"), "samples=8 sigma=0.1");
    EXPECT_EQ(value(r, "budget_ms"), "2.5");
    EXPECT_EQ(value(r, "backend"), "native");
  }
  EXPECT_EQ(value(row, "train_seed"), "3");
  EXPECT_EQ(value(row, "seed"), "0");
  EXPECT_EQ(value(row, "evaluation/task1_success"), "1");
  EXPECT_EQ(value(row, "evaluation/task2_success"), "");
  EXPECT_EQ(value(row, "evaluation/task3_success"), "0.5");
  EXPECT_EQ(value(row, "evaluation/task4_success"), "no such column");
  EXPECT_EQ(value(row, "evaluation/overall_success"), "0.75");
  EXPECT_EQ(value(row, "evaluation/episode.length"), "2");
  EXPECT_EQ(value(ledger, "seed"), "3");
  EXPECT_EQ(value(ledger, "eval_seed"), "0");
  EXPECT_EQ(value(ledger, "per_task"), "2/2 1/2");
  EXPECT_EQ(value(ledger, "successes"), "3");
  EXPECT_EQ(value(ledger, "command"), setup.command);
  // before the evaluation: the same columns
  EXPECT_EQ(line_of(eval_row(run, setup, 3, nullptr), &CsvCell::column), line_of(row, &CsvCell::column));
  EXPECT_EQ(line_of(ledger_row(run, setup, nullptr), &CsvCell::column), line_of(ledger, &CsvCell::column));
}

TEST(Results, MethodsThatDoNotPlan) {
  const TempFolder folder;
  alps::Run run = line_run(folder / "run");
  run.config.method = "gcbc";
  run.config.policy = "actor";
  run.graph = nullptr;
  EvaluationSetup setup = line_setup();
  setup.variant = setup.planner = "";
  const EvalResult result = line_result();
  const CsvRow row = eval_row(run, setup, 3, &result);
  EXPECT_EQ(value(row, "method"), "gcbc");
  for (const char* column : {"variant", "planner", "clusters", "budget_ms"})
    EXPECT_EQ(value(row, column), "") << column;
  EXPECT_FALSE(nlohmann::json::parse(configuration_json(run, setup)).contains("planner_settings"));
  save_result(run, setup, result);
  ASSERT_EQ(newest_results(run.folder).size(), 1u);
  EXPECT_EQ(newest_results(run.folder)[0].name(), "gcbc");
}

}  // namespace
}  // namespace alps
