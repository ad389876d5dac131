// alps env list: the catalogue of environments.
#include "alps/base/progress.h"
#include "alps/world/catalog.h"
#include "alps/world/planar_view.h"
#include "cli/table.h"
#include "cli/verbs.h"

namespace alps::cli {
namespace {

void list_envs() {
  Table table({"environment", ">observation", ">action", ">steps", ">tasks", ">goal within", "what it is"});
  for (const CatalogEntry& entry : env_catalog()) {
    if (!entry.available) {
      table.add({entry.name, "-", "-", "-", "-", "-", entry.summary + " (to come)"});
      continue;
    }
    const auto env = make_env(entry.name);
    const EnvSpec& spec = env->spec();
    const PlanarView* plane = env->planar();
    std::string size;
    for (const size_t n : spec.observation_shape) size += (size.empty() ? "" : "x") + std::to_string(n);
    table.add({entry.name, size, std::to_string(spec.action_size), with_commas(spec.max_episode_steps),
               plane && plane->tasks().empty() ? "random" : std::to_string(spec.num_tasks),
               plane ? str(plane->goal_tolerance()) : "-", entry.summary});
  }
  table.print();
}

}  // namespace

void add_env(CLI::App& app) {
  CLI::App* env = app.add_subcommand("env", "environments: list");
  env->require_subcommand(1);
  env->add_subcommand("list", "the catalogue, with sizes, episode lengths and tasks")->callback(list_envs);
}

}  // namespace alps::cli
