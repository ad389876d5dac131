#include <algorithm>
#include <cctype>
#include <string_view>

#include "alps/base/error.h"
#include "alps/world/version.h"
#include "cli/verbs.h"

namespace alps::cli {
namespace {

// key=value, with a key of letters, digits and _, so that a path with a = in it is none
bool is_setting(std::string_view word) {
  const size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         std::ranges::all_of(word.substr(0, equals), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

// `--set a=1 b=2 NAME` as `--set a=1 --set b=2 NAME`: an option that takes any number of words would take NAME too
std::vector<std::string> settings_apart(const std::vector<std::string>& args) {
  std::vector<std::string> apart;
  bool in_settings = false;  // the last words were --set and settings
  for (size_t i = 0; i < args.size(); ++i) {
    const bool after_set = i > 0 && args[i - 1] == "--set";
    if (in_settings && !after_set && is_setting(args[i])) apart.push_back("--set");
    in_settings = args[i] == "--set" || args[i].starts_with("--set=") || (in_settings && is_setting(args[i]));
    apart.push_back(args[i]);
  }
  return apart;
}

}  // namespace

void run_command(std::vector<std::string> args) {
  CLI::App app("alps plans: from a file of past trajectories to goals, one action at a time.", "alps");
  app.set_version_flag("--version", str("alps ", ALPS_VERSION, " (MuJoCo ", mujoco_version(), ")"));
  app.require_subcommand(1);
  app.get_formatter()->column_width(32);
  for (auto* add : {add_demo, add_data, add_check, add_env, add_train, add_eval, add_plan, add_plot, add_view,
                    add_embed, add_expert, add_sweep, add_table, add_reproduce})
    add(app);
  app.footer("Every verb takes --help. Data sets live in ~/.ogbench/data (or --data_dir), as OGBench keeps them.");
  args = settings_apart(args);
  std::reverse(args.begin(), args.end());  // CLI11 takes them last first
  try {
    app.parse(std::move(args));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0) throw UsageError(e.what(), "\nRun with --help for the options.");
    app.exit(e);  // --help, --version
  }
}

}  // namespace alps::cli
