// The program `alps`: parses the command line, runs a verb, and turns errors into one or two lines and an exit code
// (0 done, 1 the work failed, 2 wrong use).
#include <cstdio>

#include "alps/base/interrupt.h"
#include "alps/world/version.h"
#include "cli/verbs.h"

namespace {

void report(const char* what) { std::fprintf(stderr, "alps: error: %s\n", what); }

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("alps plans: from a file of past trajectories to goals, one action at a time.", "alps");
  app.set_version_flag("--version", alps::str("alps ", ALPS_VERSION, " (MuJoCo ", alps::mujoco_version(), ")"));
  app.require_subcommand(1);
  app.get_formatter()->column_width(32);
  alps::cli::add_demo(app);
  alps::cli::add_data(app);
  alps::cli::add_env(app);
  alps::cli::add_train(app);
  alps::cli::add_eval(app);
  alps::cli::add_plan(app);
  alps::cli::add_plot(app);
  alps::cli::add_embed(app);
  app.footer("Every verb takes --help. Data sets live in ~/.ogbench/data (or --data_dir), as OGBench keeps them.");
  alps::catch_interrupts();

  try {
    alps::check_mujoco_version();
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
    std::fprintf(stderr, "alps: error: %s\nRun with --help for the options.\n", e.what());
    return 2;
  } catch (const alps::Error& e) {
    report(e.what());
    return e.exit_code();
  } catch (const std::bad_alloc&) {
    report("out of memory; use a smaller data set or batch, or a machine with more memory");
  } catch (const std::exception& e) {
    report(e.what());
  }
  return 1;
}
