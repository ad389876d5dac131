// alps eval: OGBench's evaluation of a run, in its native environment or in the real package's.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "alps/base/file.h"
#include "alps/base/interrupt.h"
#include "alps/base/npz.h"
#include "alps/eval/evaluate.h"
#include "alps/eval/statistics.h"
#include "alps/world/catalog.h"
#include "alps/show/film.h"
#include "cli/ogbench_env.h"
#include "cli/run.h"
#include "cli/table.h"

namespace fs = std::filesystem;

namespace alps::cli {
namespace {

struct EvalArgs {
  std::string run, results, backend;
  bool json = false;
  int video = 0;
  bool ogbench() const { return backend == "ogbench"; }
  EvalParams eval;
  RunOptions regions;
  PlannerArgs planner;
};

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

// the same for other programs
void print_json(const EvalResult& result) {
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

// OGBench's columns, one row per evaluation; the file is rewritten as a whole
void append_csv(const fs::path& path, const std::string& header, const std::string& row) {
  std::string text = fs::exists(path) ? read_text(path) : "";
  if (text.empty()) text = header + "\n";
  if (!text.starts_with(header + "\n"))
    throw Error(path.string(), " has other columns than this version writes; move it away and run again");
  if (!text.ends_with('\n')) text += '\n';
  write_text(path, text + row + "\n");
}

void write_eval_csv(const Run& run, const EvalArgs& args, const EvalResult& result) {
  std::string header = "train_seed,variant,planner,seed,episodes";
  std::string row = str(run.config.seed, ",", args.planner.variant, ",", args.planner.planner,
                        ",", args.eval.seed, ",", args.eval.episodes);
  for (int task = 1; task <= 5; ++task) {
    header += str(",evaluation/task", task, "_success");
    row += "," + (result.count(task) ? str(result.success(task)) : "");
  }
  const Interval interval = wilson(result.successes(), result.count());
  header +=
      ",evaluation/overall_success,evaluation/low,evaluation/high,evaluation/episode.length,time/decision_ms,time/"
      "total_time";
  row += str(",", result.overall_success(), ",", interval.low, ",", interval.high, ",", result.mean_steps(), ",",
             result.mean_decision_ms(), ",", result.seconds);
  append_csv(run.folder / (args.ogbench() ? "ogbench.csv" : "eval.csv"), header, row);
}

// the ledger of measured success rates: one row per run, variant and settings, with how to repeat it
void append_results(const Run& run, const EvalArgs& args, const EvalResult& result) {
  const Interval interval = wilson(result.successes(), result.count());
  const char* commit = std::getenv("ALPS_COMMIT");
  std::string tasks, asked;
  for (const int t : args.eval.tasks) asked += str(asked.empty() ? "" : " --tasks ", t);
  for (const int t : result.tasks()) tasks += str(tasks.empty() ? "" : " ", result.successes(t), "/", result.count(t));
  append_csv(
      args.results,
      "data_set,variant,planner,train_preset,seed,clusters,episodes,successes,success,low,high,per_task,mean_steps,"
      "decision_ms,version,commit," +
          std::string(args.backend.empty() ? "" : "backend,") + "command",
      str(run.config.data_name, ",", args.planner.variant, ",", args.planner.planner, ",", run.config.preset,
          run.config.method == "alps" ? "" : " method=" + run.config.method, ",", run.config.seed, ",",
          run.graph ? run.graph->clusters() : 0, ",", result.count(), ",", result.successes(), ",", result.overall_success(), ",",
          interval.low, ",", interval.high, ",", tasks, ",", result.mean_steps(), ",", result.mean_decision_ms(), ",",
          ALPS_VERSION, ",", commit ? commit : "unknown", ",", args.backend, args.backend.empty() ? "" : ",",
          "alps eval ", run.folder.string(), " --variant ", args.planner.variant, " --planner ", args.planner.planner,
          " --episodes ", args.eval.episodes, " --seed ", args.eval.seed,
          args.regions.clusters > 0 ? str(" --clusters ", args.regions.clusters) : "",
          asked.empty() ? "" : " --tasks " + asked, args.backend.empty() ? "" : " --backend " + args.backend));
}

// paths of all episodes, for pictures
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

void evaluate_run(const EvalArgs& args) {
  if (args.ogbench() && args.video > 0)
    throw UsageError("--video films the native environments; leave out --backend ogbench");
  const Run run = open_run(args.run, args.regions);
  std::unique_ptr<Env> env;
  if (args.ogbench())
    env = std::make_unique<OgbenchEnv>(run.config.data_name, run.env_name());
  else
    env = make_env(run.env_name());
  const PlannerSettings settings = args.planner.resolve(run);
  std::optional<Film> film;
  if (args.video > 0) film.emplace(run, *env, args.planner.variant, settings, args.eval, args.video);
  std::optional<Progress> progress(std::in_place,
                                   str("evaluating ", args.planner.variant, " on ", run.config.data_name), "episodes");
  const EvalResult result =
      evaluate(*env, make_policy(run, args.planner.variant, settings), args.eval, [&](size_t done, size_t total) {
        throw_if_interrupted();
        progress->update(done, total);
      });
  progress.reset();
  args.json ? print_json(result) : print_result(result);
  write_eval_csv(run, args, result);
  save_episodes(run.folder / str(args.ogbench() ? "ogbench-" : "eval-", args.planner.variant, ".npz"), result);
  if (!args.results.empty()) append_results(run, args, result);
  if (film) film->shoot();
}

}  // namespace

void add_eval(CLI::App& app) {
  auto args = std::make_shared<EvalArgs>();
  CLI::App* verb =
      app.add_subcommand("eval", "success rates of a run: OGBench's five tasks, natively or in the real package");
  verb->add_option("run", args->run, "run folder")->required()->type_name("RUN");
  verb->add_option("--episodes", args->eval.episodes, "episodes of each task")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  verb->add_option("--tasks", args->eval.tasks, "tasks to evaluate, for example 1,3 (default: all)")->delimiter(',');
  verb->add_option("--seed", args->eval.seed, "seed of starts, goals and search")->capture_default_str();
  verb->add_option("--threads", args->eval.threads, "episodes at once (default: all cores)")
      ->check(CLI::Range(1, 1024));
  verb->add_option("--clusters", args->regions.clusters,
                   "number of regions, found anew for this evaluation; RUN keeps its own (default: those of RUN)")
      ->check(CLI::Range(1, 100000));
  verb->add_option("--results", args->results, "append a row to this ledger, with the command and $ALPS_COMMIT")
      ->type_name("CSV");
  verb->add_option("--video", args->video,
                   "film this many episodes of each task: RUN/map.mp4 from above, RUN/video.mp4 rendered by MuJoCo")
      ->type_name("N")
      ->check(CLI::Range(1, 8));
  verb->add_option("--backend", args->backend,
                   "whose environments: native (default), or ogbench, the installed Python package's")
      ->check(CLI::IsMember({"native", "ogbench"}));
  verb->add_flag("--json", args->json, "print the result as JSON");
  args->planner.add_to(*verb);
  verb->callback([=] { evaluate_run(*args); });
}

}  // namespace alps::cli
