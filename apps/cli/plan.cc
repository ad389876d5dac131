// alps plan: one decision for a start and a goal, with its trace.
#include "alps/base/npz.h"
#include "alps/plan/decision_json.h"
#include "alps/plan/familiarity.h"
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
ObservationCopy read_observation(const std::string& path, const PolicySpec& spec) {
  const Array array = read_npy(path);
  if (array.size() != spec.observation_size())
    throw Error(path, " holds ", array.size(), " numbers, but an observation of this run has ",
                spec.observation_size());
  if (spec.image != (array.dtype() == DType::kUInt8))
    throw Error(path, " is ", dtype_name(array.dtype()), "; an observation of this run is ",
                spec.image ? "an image of uint8" : "float32 or float64");
  switch (array.dtype()) {
    case DType::kFloat32: return Observation(array.as<float>());
    case DType::kFloat64: return Observation(std::vector<float>(array.as<double>().begin(), array.as<double>().end()));
    case DType::kUInt8: return Observation(array.as<uint8_t>());
    default: throw Error(path, " is ", dtype_name(array.dtype()), "; expected float32, float64 or uint8");
  }
}

void plan(const PlanArgs& args) {
  const Run run = open_run(args.run);
  const auto policy = make_policy(run, args.planner.variant, args.planner.resolve(run))();
  policy->reset(read_observation(args.goal, policy->spec()), Rng(args.seed));
  const Decision d = policy->act(read_observation(args.start, policy->spec()));
  if (args.json) {
    std::printf("%s\n", decision_json(d).dump(1).c_str());
    return;
  }
  std::string action, route;
  for (const float a : d.action) action += str(action.empty() ? "" : " ", a);
  for (const int c : d.route) route += str(route.empty() ? "" : " > ", c);
  std::printf("action  %s\nroute   %s\ndistance to the goal in psi %.3f, to the subgoal %.3f; found in %.1f ms\n",
              action.c_str(), d.no_route ? "none, heading for the goal" : route.c_str(), d.goal_distance,
              d.subgoal_distance, d.total_ms);
  for (const std::string& line :
       {off_data_text("the observation", d.off_data), off_data_text("the goal", d.goal_off_data)})
    if (!line.empty()) std::printf("%s\n", line.c_str());
}

}  // namespace

void add_plan(CLI::App& app) {
  auto args = std::make_shared<PlanArgs>();
  CLI::App* verb =
      app.add_subcommand("plan", "one decision of a run: the action for a start and a goal, and how it was found");
  verb->add_option("run", args->run, "run folder")->required()->type_name("RUN");
  verb->add_option("--start", args->start, "observation to act on, one row")->required()->type_name("obs.npy");
  verb->add_option("--goal", args->goal, "observation to reach, one row")->required()->type_name("obs.npy");
  verb->add_option("--seed", args->seed, "seed of the search")->capture_default_str();
  verb->add_flag("--json", args->json, "print the action and how it was found as JSON");
  args->planner.add_to(*verb);
  verb->callback([=] { plan(*args); });
}

}  // namespace alps::cli
