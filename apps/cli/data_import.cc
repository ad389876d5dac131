// alps data import: data sets in other layouts become an .npz. Readers of hdf5 and parquet are Python's, so the work is
// done by python/alps/importers, whose process this one becomes: its words, its exit code and Ctrl-C are the user's
// own.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "alps/base/error.h"
#include "cli/python_process.h"
#include "cli/verbs.h"

namespace alps::cli {
namespace {

struct ImportArgs {
  std::string source, out, from, observations, actions, keys, episode;
  bool discrete = false, overwrite = false;
};

void run_import(const ImportArgs& args) {
  // -P: the modules beside the script are not to be found by other names
  std::vector<std::string> words = {python(), "-P", package_file("importers/__main__.py").string(),
                                    "--out=" + args.out};
  const std::pair<const char*, const std::string*> given[] = {{"--from=", &args.from},
                                                              {"--observations=", &args.observations},
                                                              {"--actions=", &args.actions},
                                                              {"--keys=", &args.keys},
                                                              {"--episode=", &args.episode}};
  for (const auto& [flag, value] : given)
    if (!value->empty()) words.push_back(flag + *value);
  if (args.discrete) words.push_back("--discrete");
  if (args.overwrite) words.push_back("--overwrite");
  words.insert(words.end(), {"--", args.source});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::fflush(nullptr);
  ::execvp(argv[0], argv.data());
  throw Error("cannot start ", words[0], ": ", std::strerror(errno),
              "; name a Python with NumPy in it by ALPS_PYTHON=...");
}

}  // namespace

void add_data_import(CLI::App& data) {
  auto args = std::make_shared<ImportArgs>();
  CLI::App* verb = data.add_subcommand(
      "import", "make an .npz of a data set in another layout: Minari, D4RL, LeRobot, CSV, other forms of npz");
  verb->add_option("SOURCE", args->source,
                   "a file, a folder, or the id of a Minari data set; docs/own-data.md tells what each layout needs")
      ->required();
  verb->add_option("--out", args->out, "the file to write")->required()->type_name("FILE.npz");
  verb->add_option("--from", args->from, "the layout, where the source does not show it by itself")
      ->check(CLI::IsMember({"minari", "d4rl", "lerobot", "csv", "npz"}));
  verb->add_option(
          "--observations", args->observations,
          "CSV, LeRobot: columns that make the observation, as patterns 'x,y,joint_*' (default: those that begin "
          "with obs or state; observation.state)")
      ->type_name("PATTERNS");
  verb->add_option("--actions", args->actions, "the same for actions (default: columns that begin with act; action)")
      ->type_name("PATTERNS");
  verb->add_option("--keys", args->keys,
                   "Minari: entries of dictionary observations, in this order (default: observation)")
      ->type_name("NAMES");
  verb->add_option("--episode", args->episode,
                   "CSV: the column that numbers the episodes, if it has an unusual name (default: episode, "
                   "episode_index, trajectory)")
      ->type_name("NAME");
  verb->add_flag(
      "--discrete", args->discrete,
      "actions are numbers of discrete actions, 0, 1, 2, ...; needed where they are stored as 2.0, as in CSV");
  verb->add_flag("--overwrite", args->overwrite, "replace the file if it is there already");
  verb->callback([=] { run_import(*args); });
}

}  // namespace alps::cli
