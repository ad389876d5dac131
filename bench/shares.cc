// bench_shares DATA RUN ENV EPISODES: the stages around training, each timed on one thread and on all: reading the data
// set, embedding it, k-means, counting passages, and an evaluation, of which planning and the rest are told apart.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>

#include "alps/base/threads.h"
#include "alps/eval/evaluate.h"
#include "alps/graph/kmeans.h"
#include "alps/plan/planner.h"
#include "alps/run/embed_rows.h"
#include "alps/run/regions.h"
#include "alps/world/catalog.h"

using namespace alps;

namespace {

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

nlohmann::ordered_json stages(const std::string& data_path, const std::string& run, const std::string& env,
                              int episodes, int threads) {
  nlohmann::ordered_json out;
  Dataset data;
  out["reading"] = seconds_of([&] { data = load_dataset(data_path, {.threads = threads}); });
  const auto model = std::make_shared<const Model>(load_model(run));
  Array psi;
  std::vector<size_t> rows(data.rows());
  std::iota(rows.begin(), rows.end(), 0);
  out["embedding"] = seconds_of([&] { psi = embed_rows(*model, data.observations, rows, threads); });
  const int clusters = static_cast<int>(load_graph(std::filesystem::path(run) / "graph.npz").clusters());
  KMeansResult regions;
  out["k-means"] = seconds_of([&] {
    regions = kmeans(std::as_const(psi).as<float>(), psi.row_size(), {.clusters = clusters, .threads = threads});
  });
  std::vector<std::pair<size_t, size_t>> ends;
  for (const Episode& e : data.episodes) ends.emplace_back(e.first, e.last);
  std::shared_ptr<const ClusterGraph> graph;
  out["graph"] = seconds_of([&] {
    graph = std::make_shared<const ClusterGraph>(
        build_cluster_graph(psi.row_size(), std::move(regions.centers), regions.labels, ends, 0.95));
  });
  const auto world = make_env(env);
  const auto settings = load_planner_profile(run).get<PlannerSettings>();
  const EvalResult result = evaluate(*world, [&] { return std::make_unique<Planner>(model, graph, "alps", settings); },
                                     {.episodes = episodes, .threads = threads}, {});
  double decisions = 0, steps = 0;
  for (const EpisodeRecord& e : result.episodes)
    for (const float ms : e.decision_ms) decisions += ms / 1000, ++steps;
  const int workers = worker_count(result.episodes.size(), threads);
  out["planning"] = decisions / workers;
  out["environment"] = std::max(0.0, result.seconds - decisions / workers);
  out["steps"] = steps;
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return std::fprintf(stderr, "usage: bench_shares DATA RUN ENV EPISODES\n"), 2;
  nlohmann::ordered_json out;
  for (const int threads : {1, default_threads()})
    out[std::to_string(threads)] = stages(argv[1], argv[2], argv[3], std::atoi(argv[4]), threads);
  std::printf("%s\n", out.dump().c_str());
}
