// k-means: known clusters are found, nearest centres equal a direct computation, threads do not matter.
#include "alps/graph/kmeans.h"

#include <gtest/gtest.h>

#include "alps/base/error.h"
#include "alps/base/rng.h"

namespace alps {
namespace {

std::vector<float> random_rows(size_t n, size_t dim, uint64_t seed) {
  Rng rng(seed);
  std::vector<float> rows(n * dim);
  for (float& x : rows) x = static_cast<float>(rng.normal());
  return rows;
}

TEST(KMeans, NearestCentersEqualADirectComputation) {
  for (const auto& [n, dim, k] :
       {std::tuple<size_t, size_t, size_t>{1003, 5, 17}, {4100, 32, 96}, {7, 1, 3}, {9, 3, 16}}) {
    const auto rows = random_rows(n, dim, 1), centers = random_rows(k, dim, 2);
    std::vector<int32_t> labels(n);
    std::vector<float> squared(n);
    nearest_centers(rows, dim, centers, labels, squared, 2);
    for (size_t i = 0; i < n; ++i) {
      double best = INFINITY, chosen = 0;
      for (size_t c = 0; c < k; ++c) {
        double d = 0;
        for (size_t j = 0; j < dim; ++j) d += std::pow(double(rows[i * dim + j]) - centers[c * dim + j], 2);
        best = std::min(best, d);
        if (c == static_cast<size_t>(labels[i])) chosen = d;
      }
      EXPECT_NEAR(chosen, best, 1e-4 * (1 + best));
      EXPECT_NEAR(squared[i], chosen, 1e-4 * (1 + best));
    }
  }
}

TEST(KMeans, FindsSeparateBlobs) {
  Rng rng(3);
  std::vector<float> rows;
  for (int i = 0; i < 5000; ++i)
    for (int j = 0; j < 3; ++j) rows.push_back(static_cast<float>(20.0 * ((i % 8) >> j & 1) + rng.normal()));
  const KMeansResult result = kmeans(rows, 3, {.clusters = 8});
  EXPECT_NEAR(result.inertia, 3.0, 0.2);
  for (int i = 0; i < 5000; ++i) EXPECT_EQ(result.labels[i], result.labels[i % 8]);
}

TEST(KMeans, ThreadsAndSeed) {
  const auto rows = random_rows(30000, 8, 5);
  const KMeansParams params{.clusters = 20, .sample = 8192};
  auto run = [&](int threads, uint64_t seed) {
    KMeansParams p = params;
    p.threads = threads;
    p.seed = seed;
    return kmeans(rows, 8, p);
  };
  const KMeansResult one = run(1, 1), three = run(3, 1), other = run(1, 2);
  EXPECT_EQ(one.centers, three.centers);
  EXPECT_EQ(one.labels, three.labels);
  EXPECT_NE(one.centers, other.centers);
  EXPECT_NEAR(one.inertia, other.inertia, 0.05 * one.inertia);
}

TEST(KMeans, EvenClustersHaveOneSizeWhereverTheRowsAre) {
  Rng rng(7);
  std::vector<float> rows;  // a line of length 10, its first half with twenty times as many rows
  for (int i = 0; i < 21000; ++i) rows.push_back(static_cast<float>(5 * rng.uniform() + (i % 21 == 0 ? 5 : 0)));
  const auto beyond = [](const KMeansResult& result) {
    return std::count_if(result.centers.begin(), result.centers.end(), [](float c) { return c > 5; });
  };
  const KMeansParams params{.clusters = 20, .sample = 8192};
  const KMeansResult even = even_kmeans(rows, 1, params);
  EXPECT_GE(beyond(even), 7);
  EXPECT_LT(beyond(kmeans(rows, 1, params)), beyond(even));
  for (size_t i = 0; i < rows.size(); i += 100) {
    const float own = std::abs(even.centers[even.labels[i]] - rows[i]);
    for (const float center : even.centers) EXPECT_LE(own, std::abs(center - rows[i]) + 1e-6f);
  }
}

TEST(KMeans, FewDistinctRows) {
  std::vector<float> rows(100, 1.0f);
  for (int i = 0; i < 50; ++i) rows[i] = 2.0f;
  const KMeansResult result = kmeans(rows, 1, {.clusters = 10});
  EXPECT_NEAR(result.inertia, 0, 1e-12);
  EXPECT_THROW(kmeans(rows, 1, {.clusters = 101}), Error);
}

// the starts see a sample in which all rows are equal, so that one centre is empty; it goes to the row farthest away
TEST(KMeans, AnEmptyClusterMovesToTheRowThatIsServedWorst) {
  std::vector<float> rows(20'000, 0.0f);
  rows[6'000] = -30;
  rows[9'000] = -12;
  rows[15'000] = -25;
  const KMeansResult result = kmeans(rows, 1, {.clusters = 2, .starts = 1, .sample = 1});
  ASSERT_NE(result.labels[0], result.labels[6'000]);
  EXPECT_EQ(result.centers[result.labels[6'000]], -27.5f);
  EXPECT_EQ(result.labels[15'000], result.labels[6'000]);
  EXPECT_EQ(result.labels[9'000], result.labels[0]);  // nearer to the many
  EXPECT_LT(result.inertia, 0.01);
}

}  // namespace
}  // namespace alps
