// config.json of a run, as the planner reads it: settings and where they came from.
#include "alps/plan/planner_settings.h"
#include "fuzzed_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace alps;
  const auto path = fuzzed_file("config.json", {data, size});
  may_refuse([&] { load_planner_profile(path.parent_path()).get<PlannerSettings>(); });
  return 0;
}
