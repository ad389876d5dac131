// alps demo: the main job on an embedded default, from nothing to a report, by the very commands a user would type.
#include <filesystem>

#include "alps/base/shell_quoted.h"
#include "alps/data/dataset.h"
#include "alps/run/run_config.h"
#include "cli/verbs.h"

namespace fs = std::filesystem;

namespace alps::cli {
namespace {

struct DemoArgs {
  std::string name = "pointmaze-medium-navigate-v0", out = "runs/demo", data_dir, variant = "alps";
  int episodes = 5;
  std::vector<std::string> set;
};

// says what it runs, then runs it
void step(const char* what, std::vector<std::string> args) {
  std::printf("\n%s\n$ alps %s\n", what, shell_command(args).c_str());
  std::fflush(stdout);
  run_command(std::move(args));
}

void demo(const DemoArgs& args) {
  const fs::path out = args.out;
  auto in_data_dir = [&](std::vector<std::string> command) {
    if (!args.data_dir.empty()) command.insert(command.end(), {"--data_dir", args.data_dir});
    return command;
  };
  step("1. data: trajectories of a noisy expert in a maze", in_data_dir({"data", "make", args.name}));
  step("2. a look at it", in_data_dir({"data", "info", args.name, "--plot", (out / "data.png").string()}));

  std::vector<std::string> train = {"train", args.name, "--out", args.out};
  if (has_run(out)) train.push_back("--resume");
  for (const std::string& assignment : args.set) train.insert(train.end(), {"--set", assignment});
  step("3. training: the map (psi), the forward model, the prior", in_data_dir(std::move(train)));
  step("4. planning: every task, several episodes",
       {"eval", args.out, "--episodes", std::to_string(args.episodes), "--variant", args.variant});
  step("5. pictures and report", {"plot", args.out});
  std::printf("\nOpen %s in a browser.\n", fs::absolute(out / "report.html").c_str());
}

}  // namespace

void add_demo(CLI::App& app) {
  auto args = std::make_shared<DemoArgs>();
  CLI::App* verb = app.add_subcommand("demo", "the whole way on a small problem: data, training, planning, report");
  verb->add_option("--out", args->out, "run folder; what it holds already is used again")->capture_default_str();
  verb->add_option("--data", args->name, "data set to work on")->capture_default_str();
  verb->add_option("--data_dir", args->data_dir, "folder of the data sets (default ~/.ogbench/data)");
  verb->add_option("--episodes", args->episodes, "episodes of each task")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  verb->add_option("--variant", args->variant, "variant of the planner, see alps eval --help")->capture_default_str();
  verb->add_option("--set", args->set, "change a setting, see alps train --help; may be given several times")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  verb->callback([=] { demo(*args); });
}

}  // namespace alps::cli
