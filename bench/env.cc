// Steps per second of the native environments with random actions (bench_env ENV SECONDS THREADS), and the time to make
// a data set (bench_env --make NAME THREADS FOLDER). Prints one JSON object; bench/run.py sets it beside the package's.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "alps/base/threads.h"
#include "alps/collect/collect.h"
#include "alps/world/catalog.h"

using namespace alps;
using Clock = std::chrono::steady_clock;

namespace {

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// episodes of every task with uniform random actions until the time is up
nlohmann::json measure_steps(const std::string& name, double seconds, int threads) {
  const auto prototype = make_env(name);
  prototype->reset(1, Rng(0));  // models are compiled by then
  std::atomic<size_t> steps = 0;
  const auto start = Clock::now();
  parallel_for(threads, threads, [&](size_t worker) {
    const auto env = prototype->clone();
    Rng rng = Rng(1).fork(worker);
    std::vector<double> action(env->spec().action_size);
    size_t mine = 0;
    env->reset(1, rng.fork(0));
    while (seconds_since(start) < seconds) {
      for (int i = 0; i < 20; ++i) {
        for (double& a : action) a = rng.uniform(-env->spec().action_limit, env->spec().action_limit);
        ++mine;
        if (env->step(action).done()) env->reset(1 + mine % env->spec().num_tasks, rng.fork(mine));
      }
    }
    steps += mine;
  });
  return {{"env", name}, {"threads", threads}, {"steps_per_second", steps / seconds_since(start)}};
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() == 4 && args[0] == "--make") {
    const auto start = Clock::now();
    const CollectStats stats =
        make_dataset(recipe(args[1]), args[3] + "/" + args[1] + ".npz", {.threads = std::stoi(args[2])});
    std::printf(
        "%s\n",
        nlohmann::json{{"rows", stats.train_rows + stats.val_rows}, {"seconds", seconds_since(start)}}.dump().c_str());
    return 0;
  }
  if (args.size() != 3) {
    std::fprintf(stderr, "usage: bench_env ENV SECONDS THREADS | bench_env --make NAME THREADS FOLDER\n");
    return 2;
  }
  std::printf("%s\n", measure_steps(args[0], std::stod(args[1]), std::stoi(args[2])).dump().c_str());
}
