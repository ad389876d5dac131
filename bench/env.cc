// Steps per second of the native environments with random actions (bench_env ENV SECONDS THREADS), frames per second of
// those that are seen by a camera, also by the time that the processor gave them (bench_env --frames ENV SECONDS), and
// the time to make a data set (bench_env --make NAME THREADS FOLDER). Prints one JSON object; bench/run.py sets it
// beside the package's.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

#include "alps/base/threads.h"
#include "alps/collect/collect.h"
#include "alps/world/catalog.h"
#include "alps/world/image_view.h"
#include "alps/world/maze.h"
#include "alps/world/physics_view.h"
#include "alps/world/planar_view.h"

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

// what postures all over the maze look like, one after the other
nlohmann::json measure_frames(const std::string& name, double seconds) {
  const auto env = make_env(name);
  const Maze& maze = *maze_of(*env);
  Rng rng(1);
  std::vector<std::vector<float>> postures;
  for (int i = 0; i < 100; ++i) {
    env->placement()->reset(maze.with_noise(maze.center(rng.pick<Cell>(maze.free_cells())), rng), {}, rng.fork(i));
    std::vector<double> action(env->spec().action_size);
    for (int t = 0; t < 10; ++t) {
      for (double& a : action) a = rng.uniform(-1, 1);
      env->step(action);
    }
    postures.emplace_back(env->physics()->qpos().begin(), env->physics()->qpos().end());
  }
  std::vector<uint8_t> pixels(env->spec().observation_size());
  size_t frames = 0;
  const std::clock_t before = std::clock();
  const auto start = Clock::now();
  while (seconds_since(start) < seconds)
    for (const auto& posture : postures) {
      env->images()->render(posture, pixels);
      ++frames;
    }
  const double busy = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  return {{"env", name}, {"frames_per_second", frames / seconds_since(start)}, {"by_processor_time", frames / busy}};
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
  if (args.size() == 3 && args[0] == "--frames") {
    std::printf("%s\n", measure_frames(args[1], std::stod(args[2])).dump().c_str());
    return 0;
  }
  if (args.size() != 3) {
    std::fprintf(stderr, "usage: bench_env ENV SECONDS THREADS | --frames ENV SECONDS | --make NAME THREADS FOLDER\n");
    return 2;
  }
  std::printf("%s\n", measure_steps(args[0], std::stod(args[1]), std::stoi(args[2])).dump().c_str());
}
