// alps plan: one decision for a start and a goal, with its trace.
#include <nlohmann/json.hpp>

#include "alps/base/npz.h"
#include "cli/run.h"
#include "cli/verbs.h"

namespace alps::cli {
namespace {

struct PlanArgs {
  std::string run, start, goal;
  uint64_t seed = 0;
  bool json = false;
  PlannerArgs planner;
};

// one observation from an .npy file, (d) or (1, d)
std::vector<float> read_observation(const std::string& path, const Model& model) {
  const Array array = read_npy(path);
  if (array.size() != model.observation_size())
    throw Error(path, " holds ", array.size(), " numbers, but an observation of this run has ",
                model.observation_size());
  switch (array.dtype()) {
    case DType::kFloat32: return {array.as<float>().begin(), array.as<float>().end()};
    case DType::kFloat64: return {array.as<double>().begin(), array.as<double>().end()};
    case DType::kUInt8: return {array.as<uint8_t>().begin(), array.as<uint8_t>().end()};
    default: throw Error(path, " is ", dtype_name(array.dtype()), "; expected float32, float64 or uint8");
  }
}

void plan(const PlanArgs& args) {
  const Run run = open_run(args.run);
  Planner planner(run.model, run.graph, args.planner.resolve(run));
  planner.reset(read_observation(args.goal, *run.model), Rng(args.seed));
  const Decision d = planner.act(read_observation(args.start, *run.model));
  if (args.json) {
    const nlohmann::json trace = {
        {"action", d.action},
        {"cluster", d.cluster},
        {"target", d.target},
        {"goal_cluster", d.goal_cluster},
        {"route", d.route},
        {"replanned", d.replanned},
        {"advanced", d.advanced},
        {"detour", d.detour},
        {"no_route", d.no_route},
        {"top_p", d.top_p},
        {"psi", d.psi},
        {"subgoal", d.subgoal},
        {"subgoal_distance", d.subgoal_distance},
        {"goal_distance", d.goal_distance},
        {"plan", d.plan},
        {"kept_plan", d.kept_plan},
        {"best_costs", d.best_costs},
        {"elite_costs", d.elite_costs},
        {"ms", {{"total", d.total_ms}, {"embed", d.embed_ms}, {"propose", d.propose_ms}, {"search", d.search_ms}}}};
    std::printf("%s\n", trace.dump(1).c_str());
    return;
  }
  std::string action, route;
  for (const float a : d.action) action += str(action.empty() ? "" : " ", a);
  for (const int c : d.route) route += str(route.empty() ? "" : " > ", c);
  std::printf("action  %s\nroute   %s\ndistance to the goal in psi %.3f, to the subgoal %.3f; found in %.1f ms\n",
              action.c_str(), d.no_route ? "none, heading for the goal" : route.c_str(), d.goal_distance,
              d.subgoal_distance, d.total_ms);
}

}  // namespace

void add_plan(CLI::App& app) {
  auto args = std::make_shared<PlanArgs>();
  CLI::App* verb =
      app.add_subcommand("plan", "one decision of a run: the action for a start and a goal, and how it was found");
  verb->add_option("run", args->run, "run folder")->required()->type_name("RUN");
  verb->add_option("--start", args->start, "observation to act on")->required()->type_name("obs.npy");
  verb->add_option("--goal", args->goal, "observation to reach")->required()->type_name("obs.npy");
  verb->add_option("--seed", args->seed, "of the search")->capture_default_str();
  verb->add_flag("--json", args->json, "the whole trace as JSON");
  args->planner.add_to(*verb);
  verb->callback([=] { plan(*args); });
}

}  // namespace alps::cli
