// k-means (Lloyd 1982) with k-means++ starts (Arthur and Vassilvitskii 2007) on rows of floats; in psi, its clusters
// are the regions of the map. Several starts run on a sample of the rows; the best one is continued on all rows. Sums
// are taken block by block in a fixed order, so that the result does not depend on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace alps {

struct KMeansParams {
  int clusters = 64;
  int starts = 4;           // k-means++ starts on the sample
  size_t sample = 65536;    // rows that the starts see
  int iterations = 30;      // most Lloyd steps of each start, and of the final run
  double tolerance = 1e-4;  // stop when the mean squared distance falls by less than this share
  uint64_t seed = 0;
  int threads = 0;
};

struct KMeansResult {
  std::vector<float> centers;   // (clusters, dim)
  std::vector<int32_t> labels;  // (rows), the nearest centre of each
  double inertia = 0;           // mean squared distance to it
  int iterations = 0;           // of the final run
};

// rows (n, dim); with fewer distinct rows than clusters, some clusters are empty
KMeansResult kmeans(std::span<const float> rows, size_t dim, const KMeansParams& params);

// Clusters of about the same extent, however many rows each holds: k-means into ten times as many clusters, then
// k-means of their centres, each with the same weight. `inertia` is that of the centres.
KMeansResult even_kmeans(std::span<const float> rows, size_t dim, const KMeansParams& params);

// the nearest centre of each row, and optionally its squared distance; ties go to the lower index
void nearest_centers(std::span<const float> rows, size_t dim, std::span<const float> centers, std::span<int32_t> labels,
                     std::span<float> squared = {}, int threads = 0);

}  // namespace alps
