// backend_tool DATA_NAME ENV STEPS OUT.npz: serves test_backend.py. Steps the package's environment, as `alps eval
// --backend ogbench` does, and the native one from the same state with the same actions, then the package's once more
// from the state it was in.
#include <cstdio>
#include <string>

#include "alps/base/npz.h"
#include "alps/world/catalog.h"
#include "cli/ogbench_env.h"

using namespace alps;

namespace {

void roll(Env& env, int steps, const std::string& key, NpzWriter& out) {
  Rng rng(4);
  std::vector<double> action(env.spec().action_size);
  std::vector<float> observations;
  std::vector<double> places, flags, positions;
  const auto record = [&](const StepResult& r) {
    const auto seen = env.observation().floats();
    const auto qpos = env.physics()->qpos();
    observations.insert(observations.end(), seen.begin(), seen.end());
    positions.insert(positions.end(), qpos.begin(), qpos.end());
    if (const PlanarView* plane = env.planar())
      places.insert(places.end(), {plane->position().x, plane->position().y, plane->goal().x, plane->goal().y});
    flags.insert(flags.end(), {double(r.success), double(r.terminated), double(r.truncated)});
  };
  record({});
  for (int t = 0; t < steps; ++t) {
    for (double& a : action) a = static_cast<float>(rng.uniform(-1, 1));
    record(env.step(action));
  }
  const size_t n = static_cast<size_t>(steps) + 1;
  out.add(key + "/observations", Array::of<float>({n, observations.size() / n}, observations));
  out.add(key + "/qpos", Array::of<double>({n, positions.size() / n}, positions));
  out.add(key + "/places", Array::of<double>({n, places.size() / n}, places));
  out.add(key + "/flags", Array::of<double>({n, 3}, flags));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return std::fprintf(stderr, "usage: backend_tool DATA_NAME ENV STEPS OUT.npz\n"), 2;
  try {
    const int steps = std::stoi(argv[3]);
    cli::OgbenchEnv package(argv[1], argv[2]);
    const auto native = make_env(argv[2]);
    if (static_cast<Env&>(package).placement() != nullptr) throw Error("the package's environments have no placement");
    package.reset(2, Rng(1));
    const std::vector<double> state = package.state();
    NpzWriter out(argv[4]);
    roll(package, steps, "package", out);
    native->set_state(state);
    roll(*native, steps, "native", out);
    // what one of them was in, the other goes on from
    package.set_state(state);
    roll(package, steps, "again", out);
    const std::vector<double> end = package.state(), native_end = native->state();
    out.add("end/package", Array::of<double>({end.size()}, end));
    out.add("end/native", Array::of<double>({native_end.size()}, native_end));
    out.finish();
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "backend_tool: %s\n", error.what());
    return error.exit_code();
  }
}
