// bench_plan SAMPLES HORIZON ITERATIONS THREADS DECISIONS [EIGENVECTORS] [CLUSTERS] [BUDGET_MS] [fp32|bf16]:
// times decisions at the
// ant's sizes (state 29, action 8, model 4 x 512, encoder 4 x 256) with random weights, and prints one JSON object.
// With clusters > 0 a ring of random regions is routed over as well.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "alps/plan/planner.h"

namespace {

using namespace alps;
constexpr size_t kState = 29, kAction = 8;

std::vector<float> random(Rng& rng, size_t count, double scale) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(scale * rng.normal());
  return values;
}

Mlp network(Rng& rng, std::vector<size_t> sizes, bool norm) {
  std::vector<Linear> layers;
  for (size_t i = 0; i + 1 < sizes.size(); ++i)
    layers.emplace_back(sizes[i], sizes[i + 1], random(rng, sizes[i] * sizes[i + 1], 1 / std::sqrt(sizes[i])),
                        std::vector<float>(sizes[i + 1]));
  if (!norm) return Mlp(std::move(layers));
  return Mlp(std::move(layers), std::vector<float>(sizes[1], 1), std::vector<float>(sizes[1]));
}

double flop_of(const Mlp& mlp) {
  double flop = 0;
  for (const Linear& layer : mlp.layers()) flop += 2.0 * layer.inputs() * layer.outputs();
  return flop;
}

// of the whole process: on a busy machine it says more than the clock on the wall
double cpu_ms() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  auto ms = [](const timeval& t) {
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_usec);
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

// the most memory of this program, in megabytes; getrusage would count that of the one that started it
double peak_mb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::atof(line.c_str() + 6) / 1024;
  return 0;
}

// neighbours along a ring, so that routes are long
ClusterGraph ring(Rng& rng, size_t clusters, size_t dim) {
  ClusterGraph graph{.dim = dim, .centers = random(rng, clusters * dim, 1)};
  graph.sizes.assign(clusters, 1000);
  graph.passages.assign(clusters * clusters, 0);
  for (size_t c = 0; c < clusters; ++c)
    graph.passages[c * clusters + (c + 1) % clusters] = graph.passages[(c + 1) % clusters * clusters + c] = 10;
  return graph;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) return 2;
  auto number = [&](int i, double missing) { return i < argc ? std::atof(argv[i]) : missing; };
  const auto eigenvectors = static_cast<size_t>(number(6, 32)), clusters = static_cast<size_t>(number(7, 0));
  Rng rng(1);
  Model model;
  model.mean.assign(kState, 0.0f);
  model.deviation = std::vector<float>(kState, 1.0f);
  model.actions.limit = std::vector<float>(kAction, 1.0f);
  model.representation = network(rng, {kState, 256, 256, 256, eigenvectors}, true);
  model.model = network(rng, {kState + kAction, 512, 512, 512, kState}, false);
  model.change_mean.assign(kState, 0.0f);
  model.change_deviation.assign(kState, 0.1f);

  const std::string variant = clusters > 0 ? "dijkstra+cem" : "cem";
  PlannerSettings settings = paper_planner_settings();
  settings.samples_alone = std::atoi(argv[1]);
  settings.horizon = std::atoi(argv[2]);
  settings.iterations_alone = std::atoi(argv[3]);
  settings.sigma_alone = 0.5;
  settings.warm_start = true;
  settings.threads = std::atoi(argv[4]);
  settings.budget_ms = number(8, 0);
  if (argc > 9) settings.precision = argv[9];
  const double rows = 1.0 * settings.samples_alone * settings.horizon * settings.iterations_alone;
  const double gflop = rows * (flop_of(model.representation) + flop_of(model.model)) / 1e9;

  Planner planner(std::make_shared<Model>(std::move(model)),
                  clusters > 0 ? std::make_shared<ClusterGraph>(ring(rng, clusters, eigenvectors)) : nullptr, variant,
                  settings);
  const auto start = random(rng, kState, 1), goal = random(rng, kState, 1);
  planner.reset(goal, Rng(2));
  planner.act(start);  // pages and threads warm up
  std::vector<double> ms;
  const double cpu_start = cpu_ms();
  for (int i = 0; i < std::atoi(argv[5]); ++i) ms.push_back(planner.act(start).total_ms);
  const double cpu = (cpu_ms() - cpu_start) / static_cast<double>(ms.size());
  std::sort(ms.begin(), ms.end());
  const char* precision = precision_named(settings.precision) == Precision::kBf16 ? "bf16" : "fp32";
  std::printf(
      R"({"p50_ms": %.3f, "p99_ms": %.3f, "least_ms": %.3f, "cpu_ms": %.3f, "gflop": %.3f, "gflops": %.2f, "rss_mb": %.1f, "precision": "%s"})"
      "\n",
      ms[ms.size() / 2], ms[std::min(ms.size() - 1, ms.size() * 99 / 100)], ms[0], cpu, gflop, gflop / ms[0] * 1e3,
      peak_mb(), precision);
}
