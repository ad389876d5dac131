// alps eval: OGBench's evaluation of a run, in its native environment or in the real package's. What it measured goes
// to RUN/results (run/results.h), as a row to RUN/eval.csv and, if asked for, to a ledger.
#include <algorithm>

#include "alps/base/append.h"
#include "alps/base/interrupt.h"
#include "alps/base/shell_quoted.h"
#include "alps/run/result_rows.h"
#include "alps/show/film.h"
#include "alps/world/catalog.h"
#include "cli/eval_print.h"
#include "cli/ogbench_env.h"
#include "cli/run.h"

namespace fs = std::filesystem;

namespace alps::cli {
namespace {

struct EvalArgs {
  std::string run, results, ledger, backend = "native";
  bool json = false;
  int video = 0;
  bool ogbench() const { return backend == "ogbench"; }
  EvalParams eval;
  RunOptions regions;
  PlannerArgs planner;
};

// the command that repeats this evaluation; threads are told where they were asked for, though results do not depend on
// them unless there is a budget_ms
std::string command_of(const EvalArgs& args, const EvaluationSetup& setup) {
  // a folder below this one by its short name: results are read elsewhere, too
  const std::string run = fs::proximate(args.run).string();
  std::vector<std::string> words = {"alps", "eval", run.starts_with("..") ? args.run : run};
  const auto add = [&](const char* option, const std::string& value) { words.insert(words.end(), {option, value}); };
  if (!setup.planner.empty()) {
    add("--variant", setup.variant);
    add("--planner", setup.planner);
  }
  add("--episodes", str(setup.episodes));
  add("--seed", str(setup.seed));
  if (args.regions.clusters > 0) add("--clusters", str(args.regions.clusters));
  if (!args.eval.tasks.empty()) {
    std::string tasks;
    for (const int t : setup.tasks) tasks += str(tasks.empty() ? "" : ",", t);
    add("--tasks", tasks);
  }
  if (args.planner.budget_ms > 0) add("--budget_ms", number_text(args.planner.budget_ms));
  for (const std::string& assignment : args.planner.set) add("--set", assignment);
  if (args.ogbench()) add("--backend", args.backend);
  if (args.eval.threads > 0) add("--threads", str(args.eval.threads));
  return shell_command(words);
}

EvaluationSetup setup_of(const Run& run, const Env& env, const EvalArgs& args) {
  EvaluationSetup setup{.variant = args.planner.variant,
                        .planner = args.planner.planner,
                        .settings = args.planner.resolve(run),
                        .set = args.planner.set,
                        .tasks = args.eval.tasks,
                        .episodes = args.eval.episodes,
                        .seed = args.eval.seed,
                        .backend = args.backend};
  if (run.config.policy != "planner") {
    if (args.regions.clusters > 0)
      throw UsageError("--clusters: the run's method, ", run.config.method, ", does not plan and has no regions");
    setup.variant = setup.planner = "";
  }
  for (int t = 1; t <= env.spec().num_tasks && args.eval.tasks.empty(); ++t) setup.tasks.push_back(t);
  std::ranges::sort(setup.tasks);
  setup.tasks.erase(std::ranges::unique(setup.tasks).begin(), setup.tasks.end());
  setup.command = command_of(args, setup);
  return setup;
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
  const EvaluationSetup setup = setup_of(run, *env, args);
  EvalParams params = args.eval;
  params.tasks = setup.tasks;
  // a row that will be refused is refused before hours of work
  const fs::path log = run.folder / "eval.csv";
  const int num_tasks = env->spec().num_tasks;
  check_columns(log, eval_row(run, setup, num_tasks, nullptr));
  if (!args.results.empty()) check_columns(args.results, ledger_row(run, setup, nullptr));
  if (std::error_code code; !args.ledger.empty() && (fs::create_directories(args.ledger, code), code))
    throw Error("--ledger ", args.ledger, ": cannot create this folder: ", code.message());

  std::optional<Film> film;
  if (args.video > 0) film.emplace(run, *env, args.planner.variant, setup.settings, params, args.video);
  const std::string& who = setup.variant.empty() ? run.config.method : setup.variant;
  std::optional<Progress> progress(std::in_place, str("evaluating ", who, " on ", run.config.data_name), "episodes");
  KeptEpisodes kept = kept_episodes(run, setup);
  params.kept = &kept;
  // a single episode may take minutes: between two decisions too
  const auto stop = [] {
    if (interrupted())
      throw Interrupted("interrupted; finished episodes are kept, and the same command goes on from them");
  };
  params.watch = [&](int, int, const Env&, const Decision*) { stop(); };
  const EvalResult result =
      evaluate(*env, make_policy(run, args.planner.variant, setup.settings), params, [&](size_t done, size_t total) {
        stop();
        progress->update(done, total);
      });
  progress.reset();

  // the files before the rows that name them
  const fs::path file = run.folder / "results" / (save_result(run, setup, result, args.ledger) + ".json");
  append_row(log, eval_row(run, setup, num_tasks, &result));
  if (!args.results.empty()) append_row(args.results, ledger_row(run, setup, &result));
  kept.remove();
  args.json ? print_json(result, file) : print_result(result);
  if (film) film->shoot();
}

}  // namespace

void add_eval(CLI::App& app) {
  auto args = std::make_shared<EvalArgs>();
  CLI::App* verb = app.add_subcommand(
      "eval", "success rates of a run: every task of its environment, natively or in the real package");
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
  verb->add_option("--results", args->results,
                   "append a row to this ledger, with the command and $ALPS_COMMIT; several processes may write to one")
      ->type_name("CSV");
  verb->add_option("--ledger", args->ledger,
                   "also write the result, HASH.json, into this folder: results of many runs, for alps table")
      ->type_name("FOLDER");
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
