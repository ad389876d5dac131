// The cluster graph: counting, top-p against a direct computation, Dijkstra against brute force, damaged files.
#include "alps/graph/cluster_graph.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "alps/base/error.h"
#include "alps/base/file.h"
#include "alps/base/npz.h"
#include "alps/base/rng.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

ClusterGraph random_graph(size_t k, double density, Rng& rng) {
  ClusterGraph graph{.dim = 2,
                     .top_p = 0.95,
                     .centers = {},
                     .sizes = std::vector<int64_t>(k, 1),
                     .passages = std::vector<int64_t>(k * k)};
  for (size_t i = 0; i < 2 * k; ++i) graph.centers.push_back(static_cast<float>(rng.uniform()));
  for (size_t i = 0; i < k * k; ++i)
    if (i / k != i % k && rng.uniform() < density) graph.passages[i] = 1 + rng.below(50);
  return graph;
}

TEST(ClusterGraph, CountsPassagesInsideEpisodes) {
  const std::vector<int32_t> labels = {0, 0, 1, 2, 2, 1, 0};
  const std::vector<std::pair<size_t, size_t>> episodes = {{0, 3}, {4, 6}};  // no passage from row 3 to row 4
  const ClusterGraph g = build_cluster_graph(1, {0, 1, 2}, labels, episodes, 0.95, std::vector<size_t>{3});
  EXPECT_EQ(g.leaps, (std::vector<int64_t>{0, 0, 1}));
  EXPECT_EQ(g.passages, (std::vector<int64_t>{0, 1, 0, 1, 0, 1, 0, 1, 0}));
  EXPECT_EQ(g.sizes, (std::vector<int64_t>{3, 2, 2}));
  EXPECT_EQ(g.nearest(std::vector<float>{1.4f}), 1);
  EXPECT_DOUBLE_EQ(g.length(0, 2), 2.0);
}

TEST(ClusterGraph, TopPAgainstADirectComputation) {
  Rng rng(1);
  for (int trial = 0; trial < 50; ++trial) {
    const ClusterGraph g = random_graph(12, 0.5, rng);
    const double p = rng.uniform(0.3, 1.0);
    const auto kept = kept_neighbours(g, p);
    // neighbour b of a is kept by a if the neighbours seen more often than b cover less than p
    auto count = [&](size_t a, size_t b) { return g.passages[a * 12 + b] + g.passages[b * 12 + a]; };
    auto keeps = [&](size_t a, size_t b) {
      if (count(a, b) == 0) return false;
      int64_t total = 0, before = 0;
      for (size_t c = 0; c < 12; ++c) {
        if (c == a) continue;
        total += count(a, c);
        if (count(a, c) > count(a, b) || (count(a, c) == count(a, b) && c < b)) before += count(a, c);
      }
      return before < p * total;
    };
    for (size_t a = 0; a < 12; ++a)
      for (size_t b = 0; b < 12; ++b) {
        const bool is_kept = std::count(kept[a].begin(), kept[a].end(), static_cast<int>(b)) > 0;
        EXPECT_EQ(is_kept, a != b && (keeps(a, b) || keeps(b, a)));
      }
  }
}

TEST(Dijkstra, AgainstBruteForce) {
  Rng rng(2);
  int connected = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const size_t k = 7;
    const ClusterGraph g = random_graph(k, 0.15, rng);
    const auto neighbours = kept_neighbours(g, 1.0);
    const int from = static_cast<int>(rng.below(k)), to = static_cast<int>(rng.below(k));

    // every simple way
    double best = INFINITY;
    std::vector<bool> seen(k);
    std::function<void(int, double)> walk = [&](int at, double length) {
      if (at == to) best = std::min(best, length);
      seen[at] = true;
      for (const int next : neighbours[at])
        if (!seen[next]) walk(next, length + g.length(at, next));
      seen[at] = false;
    };
    walk(from, 0);

    const std::vector<int> way = dijkstra(g, neighbours, from, to);
    ASSERT_EQ(way.empty(), std::isinf(best));
    if (way.empty()) continue;
    ++connected;
    EXPECT_EQ(way.front(), from);
    EXPECT_EQ(way.back(), to);
    double length = 0;
    for (size_t i = 1; i < way.size(); ++i) {
      EXPECT_TRUE(std::count(neighbours[way[i - 1]].begin(), neighbours[way[i - 1]].end(), way[i]));
      length += g.length(way[i - 1], way[i]);
    }
    EXPECT_NEAR(length, best, 1e-9);
  }
  EXPECT_GT(connected, 50);
}

TEST(Router, LeadsThroughATrapOnlyIfThereIsNoOtherWay) {
  // a way 0 - 1 - 2 - 3 round a corner, and a cluster that an ant fell into twice, once from each end
  ClusterGraph g{.dim = 2, .top_p = 0.95, .centers = {0, 0, 0, 1, 1, 1, 1, 0, 0.5, 0}, .sizes = {9, 9, 9, 9, 9}};
  g.passages.resize(25);
  for (const auto& [a, b] : {std::pair(0, 1), {1, 2}, {2, 3}}) g.passages[a * 5 + b] = g.passages[b * 5 + a] = 100;
  g.passages[0 * 5 + 4] = g.passages[3 * 5 + 4] = 1;
  EXPECT_EQ(traps(g), (std::vector<bool>{false, false, false, false, true}));
  const Router router(g);
  EXPECT_EQ(router.route(0, 3).clusters, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(router.route(0, 4).clusters, (std::vector<int>{0, 4}));  // into it and out of it, if that is what is asked
  EXPECT_EQ(router.route(4, 2).clusters, (std::vector<int>{4, 3, 2}));
  EXPECT_EQ(router.route(0, 3, {{1, 2}}).clusters, (std::vector<int>{0, 4, 3}));
}

TEST(Router, TellsTrapsThatAreMoreThanTheOtherRegions) {
  // 0 - 1 - 2 are often passed; 3 .. 9 hold few states each, and of few passages 3 has most: a short way from 0 to 2
  ClusterGraph g{.dim = 1, .top_p = 0.95, .centers = {0, 1, 2, 1, 5, 5, 5, 5, 5, 5}, .sizes = {900, 900, 900}};
  g.sizes.resize(10, 10);
  g.passages.resize(100);
  for (const auto& [a, b] : {std::pair(0, 1), {1, 2}}) g.passages[a * 10 + b] = g.passages[b * 10 + a] = 500;
  for (const auto& [a, b] : {std::pair(0, 3), {3, 2}}) g.passages[a * 10 + b] = 20;
  for (int c = 4; c < 10; ++c) g.passages[c] = 3;
  EXPECT_EQ(traps(g), (std::vector<bool>{false, false, false, true, true, true, true, true, true, true}));
  EXPECT_EQ(Router(g).route(0, 2).clusters, (std::vector<int>{0, 1, 2}));
}

TEST(Router, LeadsThroughADoorOnlyIfThereIsNoOtherWay) {
  // 0 - 1 - 2 is the short way, but who is in 1 is often taken elsewhere; 0 - 3 - 4 - 2 is longer
  ClusterGraph g{.dim = 2, .top_p = 0.95, .centers = {0, 0, 1, 0, 2, 0, 0, 1, 2, 1}, .sizes = {9, 9, 9, 9, 9}};
  g.passages.resize(25);
  for (const auto& [a, b] : {std::pair(0, 1), {1, 2}, {0, 3}, {3, 4}, {4, 2}})
    g.passages[a * 5 + b] = g.passages[b * 5 + a] = 100;
  EXPECT_EQ(Router(g).route(0, 2).clusters, (std::vector<int>{0, 1, 2}));
  g.leaps = {0, 20, 0, 0, 0};  // of 220 departures: not so often
  EXPECT_EQ(Router(g).route(0, 2).clusters, (std::vector<int>{0, 1, 2}));
  g.leaps = {0, 100, 0, 0, 0};
  EXPECT_EQ(Router(g).route(0, 2).clusters, (std::vector<int>{0, 3, 4, 2}));
  EXPECT_EQ(Router(g).route(0, 2, {{3, 4}}).clusters, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(Router(g).route(1, 2).clusters, (std::vector<int>{1, 2}));
  // rather through a trap than through a door
  g.passages[3 * 5 + 4] = g.passages[4 * 5 + 3] = 1;
  g.passages[0 * 5 + 3] = g.passages[3 * 5 + 0] = 1;
  EXPECT_TRUE(traps(g)[3]);
  EXPECT_EQ(Router(g).route(0, 2).clusters, (std::vector<int>{0, 3, 4, 2}));
}

TEST(Router, RelaxesPruningAndSaysSo) {
  // 0-1 often, 1-2 rarely: at 0.5 cluster 1 drops 2, and 2's only neighbour keeps the edge; 3 is never reached
  ClusterGraph g{.dim = 1, .centers = {0, 1, 2, 3}, .sizes = {1, 1, 1, 1}, .passages = std::vector<int64_t>(16)};
  g.passages[0 * 4 + 1] = 1000;
  g.passages[1 * 4 + 2] = 1;
  const Router router(g, {.top_p = 0.5});
  EXPECT_EQ(router.route(0, 2).clusters, (std::vector<int>{0, 1, 2}));
  EXPECT_TRUE(router.route(0, 3).clusters.empty());
  EXPECT_EQ(router.route(1, 1).clusters, (std::vector<int>{1}));

  // two triangles joined by one rare passage that both ends drop
  ClusterGraph h{.dim = 1,
                 .centers = {0, 1, 2, 3, 4, 5},
                 .sizes = std::vector<int64_t>(6, 1),
                 .passages = std::vector<int64_t>(36)};
  for (const auto& [a, b] : {std::pair{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}}) h.passages[a * 6 + b] = 1000;
  h.passages[2 * 6 + 3] = 1;
  const Route route = Router(h, {.top_p = 0.9}).route(0, 5);
  EXPECT_EQ(route.clusters, (std::vector<int>{0, 2, 3, 5}));
  EXPECT_EQ(route.top_p, 1.0);  // 0.999 covers the 2,000 of 2,001 passages that the others are
  // the paper's graph stays pruned
  EXPECT_TRUE(Router(h, {.top_p = 0.9, .relax = false}).route(0, 5).clusters.empty());
  EXPECT_EQ(Router(h, {.top_p = 1.0, .relax = false}).route(0, 5).clusters, route.clusters);
}

// the smallest set of neighbours that covers the share: what it covers already is enough when it is exactly the share
TEST(KeptNeighbours, EndWhereTheShareIsCovered) {
  // from 0: 50 to 1, 30 to 2, 20 to 3, whose other neighbours they see far more often
  ClusterGraph g{.dim = 1, .centers = {0, 1, 2, 3, 4}, .sizes = {9, 9, 9, 9, 9}, .passages = std::vector<int64_t>(25)};
  g.passages[0 * 5 + 1] = 50;
  g.passages[0 * 5 + 2] = 30;
  g.passages[0 * 5 + 3] = 20;
  for (const int c : {1, 2, 3}) g.passages[c * 5 + 4] = 100000;
  const auto kept = [&](double top_p) { return kept_neighbours(g, top_p)[0]; };
  EXPECT_EQ(kept(0.49), (std::vector<int>{1}));
  EXPECT_EQ(kept(0.5), (std::vector<int>{1}));
  EXPECT_EQ(kept(0.51), (std::vector<int>{1, 2}));
  EXPECT_EQ(kept(0.8), (std::vector<int>{1, 2}));
  EXPECT_EQ(kept(0.81), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(kept(1.0), (std::vector<int>{1, 2, 3}));
}

TEST(Router, WithoutAdditionsItIsDijkstraOnThePrunedGraph) {
  Rng rng(5);
  int routes = 0;
  for (int trial = 0; trial < 100; ++trial) {
    ClusterGraph g = random_graph(8, 0.3, rng);
    g.leaps.assign(8, 0);
    g.leaps[rng.below(8)] = 1000;
    const RouterParams paper{.top_p = 0.7, .relax = false, .avoid_traps = false, .avoid_doors = false, .one_way = 0};
    const Route found = Router(g, paper).route(0, 7);
    EXPECT_EQ(found.clusters, dijkstra(g, kept_neighbours(g, 0.7), 0, 7));
    routes += !found.clusters.empty();
  }
  EXPECT_GT(routes, 30);
}

TEST(Router, TrapsAndDoorsAreAvoidedOneByOne) {
  // the short way from 0 to 3 leads through 1, a door; another through 2, a trap; the longest through 4 and 5
  ClusterGraph g{.dim = 2,
                 .centers = {0, 0, 1, 0.1f, 1, 0.5f, 2, 0, 0, 3, 2, 3},
                 .sizes = {9, 9, 9, 9, 9, 9},
                 .passages = std::vector<int64_t>(36),
                 .leaps = {0, 100, 0, 0, 0, 0}};
  for (const auto& [a, b] : {std::pair(0, 1), {1, 3}, {0, 4}, {4, 5}, {5, 3}})
    g.passages[a * 6 + b] = g.passages[b * 6 + a] = 100;
  g.passages[0 * 6 + 2] = g.passages[2 * 6 + 3] = 1;
  ASSERT_TRUE(traps(g)[2] && doors(g)[1]);
  const auto way = [&](bool avoid_traps, bool avoid_doors) {
    const Router router(g, {.top_p = 1.0, .avoid_traps = avoid_traps, .avoid_doors = avoid_doors});
    return router.route(0, 3).clusters;
  };
  EXPECT_EQ(way(false, false), (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(way(true, false), (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(way(false, true), (std::vector<int>{0, 2, 3}));
  EXPECT_EQ(way(true, true), (std::vector<int>{0, 4, 5, 3}));
}

TEST(Router, GoesTheWayTheDataWent) {
  // a ring 0 -> 1 -> 2 -> 3 -> 0 that hardly anybody walked the other way round
  ClusterGraph g{
      .dim = 2, .centers = {0, 0, 1, 0, 1, 1, 0, 1}, .sizes = {9, 9, 9, 9}, .passages = std::vector<int64_t>(16)};
  for (int a = 0; a < 4; ++a) {
    g.passages[a * 4 + (a + 1) % 4] = 95;
    g.passages[(a + 1) % 4 * 4 + a] = 5;
  }
  EXPECT_EQ(Router(g).route(1, 0).clusters, (std::vector<int>{1, 2, 3, 0}));
  EXPECT_EQ(Router(g).route(0, 1).clusters, (std::vector<int>{0, 1}));
  EXPECT_EQ(Router(g, {.one_way = 0.05}).route(1, 0).clusters, (std::vector<int>{1, 0}));
  EXPECT_EQ(Router(g, {.one_way = 0}).route(1, 0).clusters, (std::vector<int>{1, 0}));
  // rather against the others than not at all
  g.passages[3 * 4 + 0] = 0;
  EXPECT_EQ(Router(g).route(1, 0).clusters, (std::vector<int>{1, 0}));
  // pruning counts both directions, so the rare one goes first
  EXPECT_EQ(travelled(g, kept_neighbours(g, 1.0), 0.1)[1], (std::vector<int>{2}));
}

TEST(Router, RatherThroughATrapThanAgainstTheDirection) {
  // 0 -> 1 -> 2 is passed from left to right only; back there is a way through 3, where hardly anybody was
  ClusterGraph g{
      .dim = 2, .centers = {0, 0, 1, 0, 2, 0, 1, 3}, .sizes = {90, 90, 90, 1}, .passages = std::vector<int64_t>(16)};
  g.passages[0 * 4 + 1] = g.passages[1 * 4 + 2] = 500;
  g.passages[2 * 4 + 3] = g.passages[3 * 4 + 0] = 1;
  ASSERT_TRUE(traps(g)[3]);
  EXPECT_EQ(Router(g).route(0, 2).clusters, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(Router(g).route(2, 0).clusters, (std::vector<int>{2, 3, 0}));
  EXPECT_EQ(Router(g, {.one_way = 0}).route(2, 0).clusters, (std::vector<int>{2, 1, 0}));
}

class GraphFile : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  const fs::path folder_ = fs::temp_directory_path() / str("alps-graph-", getpid());
};

TEST_F(GraphFile, RoundTripAndDamage) {
  Rng rng(4);
  ClusterGraph g = random_graph(9, 0.3, rng);
  const fs::path path = folder_ / "graph.npz";
  save_graph(path, g);
  EXPECT_TRUE(load_graph(path).leaps.empty());  // a file of an older version
  EXPECT_TRUE(load_graph(path).radii.empty());
  g.leaps = {0, 4, 0, 0, 0, 0, 0, 0, 12};
  g.radii = {1, 2, 3, 4, 5, 6, 7, 8, 0};
  g.low = {-1, -2};
  g.high = {1, 2};
  g.reached_low = {-0.5f, -2};
  g.reached_high = {1, 1.5f};
  save_graph(path, g);
  const ClusterGraph back = load_graph(path);
  EXPECT_EQ(back.leaps, g.leaps);
  EXPECT_EQ(back.radii, g.radii);
  EXPECT_EQ(back.low, g.low);
  EXPECT_EQ(back.high, g.high);
  EXPECT_EQ(back.reached_low, g.reached_low);
  EXPECT_EQ(back.reached_high, g.reached_high);
  EXPECT_EQ(back.centers, g.centers);
  EXPECT_EQ(back.passages, g.passages);
  EXPECT_EQ(back.sizes, g.sizes);
  EXPECT_EQ(back.top_p, g.top_p);

  // flipped bytes either are found out or leave a graph that can be routed on
  const std::string bytes = read_text(path);
  int refused = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::string damaged = bytes;
    damaged[rng.below(damaged.size())] ^= static_cast<char>(1 << rng.below(8));
    if (trial % 5 == 0) damaged.resize(rng.below(damaged.size()));
    write_text(path, damaged);
    try {
      const ClusterGraph read = load_graph(path);
      Router(read).route(0, static_cast<int>(read.clusters()) - 1);
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("graph.npz"), std::string::npos) << e.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 150);
  EXPECT_THROW(load_graph(folder_ / "none.npz"), Error);

  // what tells how far the data reach
  ClusterGraph bad = g;
  bad.radii[3] = -1;
  save_graph(path, bad);
  EXPECT_THROW(load_graph(path), Error);
  bad = g;
  bad.high[0] = std::numeric_limits<float>::quiet_NaN();
  save_graph(path, bad);
  EXPECT_THROW(load_graph(path), Error);

  // shapes that do not fit
  NpzWriter out(path);
  out.add("centers", Array::of<float>({2, 2}, std::vector<float>(4)));
  out.add("sizes", Array::of<int64_t>({3}, std::vector<int64_t>(3)));
  out.add("passages", Array::of<int64_t>({3, 3}, std::vector<int64_t>(9)));
  out.add("top_p", Array::of<double>({}, std::vector<double>{0.95}));
  out.finish();
  EXPECT_THROW(load_graph(path), Error);
}

}  // namespace
}  // namespace alps
