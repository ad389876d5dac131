// alps reproduce: the paper's tables and figures, from data to a page that shows them beside the paper's (lab/).
#include <algorithm>
#include <cstdio>

#include "alps/base/error.h"
#include "alps/base/interrupt.h"
#include "alps/base/progress.h"
#include "alps/base/shell_quoted.h"
#include "alps/lab/reproduce_page.h"
#include "alps/lab/slurm_engine.h"
#include "cli/sweep_view.h"
#include "cli/table.h"
#include "cli/verbs.h"

namespace fs = std::filesystem;

namespace alps::cli {
namespace {

struct ReproduceArgs {
  std::vector<std::string> names, ledgers;
  std::string out = "runs/lab", on = "local", protocol, tables, data_dir, html;
  int seeds = 0, episodes = 0;
  std::string preset;
  bool dry = false, page = false, list = false, status = false;
  LocalSettings local;

  fs::path page_file() const { return html.empty() ? fs::path(out) / "reproduce.html" : fs::path(html); }
};

void print_list(const std::vector<Exhibit>& exhibits) {
  Table table({"name", "in the paper", "what it shows"});
  for (const Exhibit& e : exhibits) table.add({e.name, e.label, e.shows});
  table.print();
}

// tests take their figures from another table
std::vector<Exhibit> with_sources(std::vector<Exhibit> chosen, const std::vector<Exhibit>& all) {
  const auto there = [&](const std::string& name) { return std::ranges::find(chosen, name, &Exhibit::name); };
  for (size_t i = 0; i < chosen.size(); ++i)
    for (const Exhibit& other : all)
      if (other.name == chosen[i].from && there(other.name) == chosen.end()) {
        chosen.push_back(other);
        break;  // chosen may have moved
      }
  return chosen;
}

void write_page(const ReproduceArgs& args, const fs::path& folder, const std::vector<Exhibit>& exhibits,
                const ReproduceRequest& request) {
  PageSource source{.published = read_published(folder),
                    .tests = load_published_tests(folder / "published_tests.csv"),
                    .paths = request.paths,
                    .page = args.page_file()};
  for (const Exhibit& e : exhibits) source.planned.push_back(plan_exhibit(e, request));
  source.ledger = results_of(request.paths, {args.ledgers.begin(), args.ledgers.end()});
  write_reproduce_page(source);
  std::printf("%s\n", source.page.c_str());
}

void reproduce(const ReproduceArgs& args) {
  const fs::path folder = args.tables.empty() ? published_folder() : fs::path(args.tables);
  const std::vector<Exhibit> all = load_exhibits(folder);
  if (args.list) return print_list(all);
  const std::vector<Exhibit> chosen = with_sources(chosen_exhibits(all, args.names), all);
  ReproduceRequest request{.preset = args.preset, .paper_protocol = args.protocol == "paper"};
  if (args.seeds > 0) request.seeds = args.seeds;
  if (args.episodes > 0) request.episodes = args.episodes;
  request.paths.lab = fs::absolute(args.out);
  if (!args.data_dir.empty()) request.paths.data_dir = fs::absolute(args.data_dir);
  if (args.page) return write_page(args, folder, chosen, request);

  std::vector<PlannedExhibit> planned;
  for (const Exhibit& e : chosen) planned.push_back(plan_exhibit(e, request));
  const Sweep sweep = joint_sweep(planned);
  if (args.status) return print_counts(tasks_of(sweep, request.paths), request.paths, sweep.engine);
  print_cost(sweep, cost_of(sweep, Costs(folder / "costs.csv"), request.paths));
  std::fflush(stdout);
  if (args.dry) return;
  const std::vector<Task> tasks = tasks_of(sweep, request.paths);
  if (args.on == "slurm") {
    const SlurmSubmission sent = submit_slurm(tasks, request.paths, sweep.engine, sweep.name);
    print_submission(sent);
    std::printf("when they are done, or before: alps reproduce --page --out %s\n", shell_quoted(args.out).c_str());
    return;
  }
  try {
    run_local_sweep(tasks, request.paths, sweep.engine, args.local);
  } catch (const Interrupted&) {
    throw;
  } catch (const Error&) {  // some tasks failed: the page shows what the others gave
    write_page(args, folder, all, request);
    throw;
  }
  write_page(args, folder, all, request);
}

}  // namespace

void add_reproduce(CLI::App& app) {
  auto args = std::make_shared<ReproduceArgs>();
  CLI::App* verb = app.add_subcommand(
      "reproduce", "the paper's tables and figures: run what they take, show them beside the paper's");
  verb->add_option("names", args->names, "tables or figures by name or label, see --list (default: all)")
      ->type_name("TABLE|FIGURE");
  verb->add_option("--seeds", args->seeds, "trainings of each kind, with seeds 0 .. N-1 (default: the table's)")
      ->type_name("N")
      ->check(CLI::Range(1, 10000));
  verb->add_option("--episodes", args->episodes, "episodes of each task (default: the table's)")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  verb->add_option("--preset", args->preset, "fast: minutes a training; paper: the paper's settings, days")
      ->check(CLI::IsMember({"fast", "paper"}));
  verb->add_option("--protocol", args->protocol,
                   "paper: its preset, seeds, episodes and three checkpoints; other options still win")
      ->check(CLI::IsMember({"paper"}));
  verb->add_option("--on", args->on, "where to run: local (default), or slurm, by sbatch")
      ->check(CLI::IsMember({"local", "slurm"}));
  verb->add_option("--out", args->out, "folder of runs, logs, results and the page; shared with alps sweep")
      ->type_name("LAB")
      ->capture_default_str();
  verb->add_flag("--dry", args->dry, "tell what it would cost; run nothing");
  verb->add_flag("--status", args->status, "tell how many tasks are done, running, stopped or failed; run nothing");
  verb->add_flag("--page", args->page, "only write the page, from the results that are there");
  verb->add_flag("--list", args->list, "list the tables and figures");
  verb->add_option("--html", args->html, "where to write the page (default LAB/reproduce.html)")->type_name("FILE");
  verb->add_option("--ledger", args->ledgers,
                   "show results of this folder too, beside those of LAB; may be given several times")
      ->type_name("FOLDER");
  verb->add_option("--tables", args->tables, "folder that describes the tables (default: the one of alps)")
      ->type_name("FOLDER");
  verb->add_option("--cores", args->local.cores, "cores to use on this machine (default: all)")
      ->check(CLI::Range(1, 1024));
  verb->add_option("--memory_mb", args->local.memory_mb, "memory to use on this machine (default: nine tenths of it)")
      ->check(CLI::Range(1, 100000000));
  verb->add_option("--data_dir", args->data_dir, "folder of the data sets (default ~/.ogbench/data)");
  verb->footer(
      "The cost is told first. The same command goes on after Ctrl-C or a failure; what is done is not done again.\n"
      "docs/reproduce.md has examples and shows how to add a table.");
  verb->callback([=] { reproduce(*args); });
}

}  // namespace alps::cli
