#include <algorithm>

#include "alps/base/error.h"
#include "alps/world/version.h"
#include "cli/verbs.h"

namespace alps::cli {

void run_command(std::vector<std::string> args) {
  CLI::App app("alps plans: from a file of past trajectories to goals, one action at a time.", "alps");
  app.set_version_flag("--version", str("alps ", ALPS_VERSION, " (MuJoCo ", mujoco_version(), ")"));
  app.require_subcommand(1);
  app.get_formatter()->column_width(32);
  for (auto* add :
       {add_demo, add_data, add_env, add_train, add_eval, add_plan, add_plot, add_view, add_embed, add_expert})
    add(app);
  app.footer("Every verb takes --help. Data sets live in ~/.ogbench/data (or --data_dir), as OGBench keeps them.");
  std::reverse(args.begin(), args.end());  // CLI11 takes them last first
  try {
    app.parse(std::move(args));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0) throw UsageError(e.what(), "\nRun with --help for the options.");
    app.exit(e);  // --help, --version
  }
}

}  // namespace alps::cli
