// A planner in a control loop: after some decisions, the next ones allocate nothing. Every allocation of this program
// is counted, of whatever thread.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <new>

#include "alps/plan/planner.h"

namespace {
std::atomic<size_t> allocations = 0;
}

// g++ inlines one half of the pair and takes it for a mistake
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace alps {
namespace {

Mlp random_network(size_t inputs, size_t width, size_t outputs, Rng& rng) {
  const auto layer = [&](size_t in, size_t out) {
    std::vector<float> weights(in * out), bias(out);
    for (float& w : weights) w = static_cast<float>(rng.normal() / std::sqrt(static_cast<double>(in)));
    return Linear(in, out, weights, bias);
  };
  return Mlp({layer(inputs, width), layer(width, width), layer(width, outputs)});
}

// of an ant's sizes, but narrow: 12 numbers, 3 actions, psi of 8 dimensions
std::shared_ptr<Model> random_model(Rng& rng) {
  auto model = std::make_shared<Model>();
  model->mean.assign(12, 0.0f);
  model->deviation.assign(12, 1.0f);
  model->actions.limit.assign(3, 1.0f);
  model->representation = random_network(12, 64, 8, rng);
  model->eigenvalues.assign(8, 0.1f);
  model->model = random_network(15, 64, 12, rng);
  model->change_mean.assign(12, 0.0f);
  model->change_deviation.assign(12, 0.1f);
  model->prior = random_network(12 + 16, 64, 3, rng);
  return model;
}

// regions in a ring, so that states that jump about leave the route again and again
std::shared_ptr<ClusterGraph> random_graph(size_t regions, Rng& rng) {
  auto graph = std::make_shared<ClusterGraph>();
  graph->dim = 8;
  for (size_t i = 0; i < regions * 8; ++i) graph->centers.push_back(static_cast<float>(rng.normal()));
  graph->sizes.assign(regions, 10);
  graph->passages.assign(regions * regions, 0);
  for (size_t c = 0; c < regions; ++c)
    for (const size_t next : {(c + 1) % regions, (c + 7) % regions}) graph->passages[c * regions + next] = 50;
  return graph;
}

class Allocations : public testing::TestWithParam<const char*> {};

TEST_P(Allocations, NoneAfterSomeDecisions) {
  Rng rng(1);
  for (const int threads : {1, 2}) {
    PlannerSettings settings;
    settings.threads = threads;
    settings.patience = 0;  // a passage that is closed has to be remembered
    settings.keep_plan = true;
    Planner planner(random_model(rng), random_graph(40, rng), GetParam(), settings);
    std::vector<float> observation(12);
    const auto look = [&] {
      for (float& x : observation) x = static_cast<float>(rng.normal());
    };
    look();
    planner.reset(observation, Rng(2));
    Decision decision;
    size_t replanned = 0, costly = 0;
    for (int step = 0; step < 300; ++step) {
      look();
      const size_t before = allocations;
      planner.act_into(observation, decision);
      costly += step >= 150 && allocations > before;
      replanned += step >= 150 && decision.replanned;
    }
    // a second thread has memory of its own, and on a busy machine its first work may come late
    EXPECT_LE(costly, threads == 1 ? 0u : 3u) << threads << " threads";
    EXPECT_TRUE(decision.route.empty() || replanned > 10);
    // the counter counts: a decision in new memory is not free
    const size_t before = allocations;
    const Decision fresh = planner.act(observation);
    EXPECT_GT(allocations - before, 3u);
    EXPECT_EQ(fresh.action.size(), 3u);
  }
}

TEST_P(Allocations, MemoryUsedAgainChangesNothing) {
  Rng rng(3);
  Planner planner(random_model(rng), random_graph(20, rng), GetParam());
  std::vector<float> observation(12, 0.5f);
  planner.reset(observation, Rng(2));
  Planner other = planner;
  Decision again;
  for (int step = 0; step < 30; ++step) {
    for (float& x : observation) x = static_cast<float>(rng.normal());
    planner.act_into(observation, again);
    const Decision fresh = other.act(observation);
    EXPECT_EQ(again.action, fresh.action);
    EXPECT_EQ(again.plan, fresh.plan);
    EXPECT_EQ(again.route, fresh.route);
    EXPECT_EQ(again.best_costs, fresh.best_costs);
    EXPECT_EQ(again.elite_costs, fresh.elite_costs);
    EXPECT_EQ(again.subgoal, fresh.subgoal);
    EXPECT_EQ(again.replanned, fresh.replanned);
    EXPECT_EQ(again.advanced, fresh.advanced);
    EXPECT_TRUE(again.imagined.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, Allocations,
                         testing::Values("alps", "dijkstra+prior", "dijkstra+cem", "cem+prior", "prior", "cem"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '+');
                           return name;
                         });

}  // namespace
}  // namespace alps
