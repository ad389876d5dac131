#include "alps/graph/kmeans.h"

#include <algorithm>
#include <limits>

#include "alps/base/error.h"
#include "alps/base/interrupt.h"
#include "alps/base/rng.h"
#include "alps/base/simd.h"
#include "alps/base/threads.h"

namespace alps {
namespace {

constexpr size_t kBlock = 4096;  // rows summed by one thread at a time
constexpr size_t kLanes = 16;    // centres compared at once
constexpr size_t kRows = 4;      // rows compared at once

// Centres for fast comparison: groups of kLanes, each group's coordinates side by side, and half squared norms.
// argmin |x - c|^2 = argmin |c|^2 / 2 - x.c; lanes past the last centre never win.
struct Packed {
  size_t dim, groups;
  std::vector<float> coordinates;  // (groups, dim, kLanes)
  std::vector<float> half_norms;   // (groups, kLanes)

  Packed(std::span<const float> centers, size_t dimension)
      : dim(dimension),
        groups((centers.size() / dim + kLanes - 1) / kLanes),
        coordinates(groups * dim * kLanes),
        half_norms(groups * kLanes, std::numeric_limits<float>::max()) {
    for (size_t c = 0; c < centers.size() / dim; ++c) {
      double norm = 0;
      for (size_t j = 0; j < dim; ++j) {
        const float x = centers[c * dim + j];
        coordinates[(c / kLanes * dim + j) * kLanes + c % kLanes] = x;
        norm += static_cast<double>(x) * x;
      }
      half_norms[c] = static_cast<float>(norm / 2);
    }
  }
};

// scores (kRows, kLanes) of kRows rows against one group of centres
ALPS_CLONES void score_group(const float* const* rows, size_t dim, const float* group, const float* half_norms,
                             float* scores) {
  Vector low[kRows], high[kRows];
  for (size_t r = 0; r < kRows; ++r) {
    low[r] = vector_at(half_norms);
    high[r] = vector_at(half_norms + 8);
  }
  for (size_t j = 0; j < dim; ++j) {
    const Vector c_low = vector_at(group + j * kLanes), c_high = vector_at(group + j * kLanes + 8);
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) {
      low[r] -= rows[r][j] * c_low;
      high[r] -= rows[r][j] * c_high;
    }
  }
  for (size_t r = 0; r < kRows; ++r) {
    vector_at(scores + r * kLanes) = low[r];
    vector_at(scores + r * kLanes + 8) = high[r];
  }
}

// labels of rows [first, last)
void label_block(std::span<const float> rows, const Packed& packed, size_t first, size_t last,
                 std::span<int32_t> labels) {
  float scores[kRows * kLanes];
  for (size_t i = first; i < last; i += kRows) {
    // the last group of rows repeats its last one
    const float* at[kRows];
    for (size_t r = 0; r < kRows; ++r) at[r] = &rows[std::min(i + r, last - 1) * packed.dim];
    float best[kRows];
    std::fill_n(best, kRows, std::numeric_limits<float>::max());
    for (size_t g = 0; g < packed.groups; ++g) {
      score_group(at, packed.dim, &packed.coordinates[g * packed.dim * kLanes], &packed.half_norms[g * kLanes], scores);
      for (size_t r = 0; r < kRows && i + r < last; ++r) {
        for (size_t l = 0; l < kLanes; ++l) {
          if (scores[r * kLanes + l] >= best[r]) continue;
          best[r] = scores[r * kLanes + l];
          labels[i + r] = static_cast<int32_t>(g * kLanes + l);
        }
      }
    }
  }
}

float squared_distance(const float* a, const float* b, size_t dim) {
  float sum = 0;
  for (size_t j = 0; j < dim; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

// k-means++: each next centre is drawn with probability proportional to the squared distance to the nearest so far
std::vector<float> first_centers(std::span<const float> rows, size_t dim, int clusters, Rng& rng, int threads) {
  const size_t n = rows.size() / dim;
  std::vector<float> centers;
  std::vector<float> nearest(n, std::numeric_limits<float>::max());
  std::vector<double> block_sums((n + kBlock - 1) / kBlock);
  size_t chosen = rng.below(n);
  for (int c = 0; c < clusters; ++c) {
    throw_if_interrupted();
    const float* center = &rows[chosen * dim];
    centers.insert(centers.end(), center, center + dim);
    parallel_blocks(n, kBlock, threads, [&](size_t first, size_t last) {
      double sum = 0;
      for (size_t i = first; i < last; ++i) {
        nearest[i] = std::min(nearest[i], squared_distance(&rows[i * dim], center, dim));
        sum += nearest[i];
      }
      block_sums[first / kBlock] = sum;
    });
    double total = 0;
    for (const double s : block_sums) total += s;
    double left = rng.uniform() * total;
    size_t block = 0;
    while (block + 1 < block_sums.size() && left >= block_sums[block]) left -= block_sums[block++];
    chosen = block * kBlock;
    const size_t end = std::min(n, chosen + kBlock) - 1;
    while (chosen < end && left >= nearest[chosen]) left -= nearest[chosen++];
  }
  return centers;
}

// Lloyd's steps from given centres until the inertia settles
KMeansResult lloyd(std::span<const float> rows, size_t dim, std::vector<float> centers, const KMeansParams& params) {
  const size_t n = rows.size() / dim, k = centers.size() / dim, blocks = (n + kBlock - 1) / kBlock;
  KMeansResult result{.centers = std::move(centers), .labels = std::vector<int32_t>(n)};
  struct Part {
    std::vector<double> sums;
    std::vector<size_t> counts;
    double inertia;
    float farthest;
    size_t farthest_row;
  };
  std::vector<Part> parts(blocks);
  double before = std::numeric_limits<double>::max();
  for (result.iterations = 0;;) {
    throw_if_interrupted();
    // assign, and sum up block by block
    const Packed packed(result.centers, dim);
    parallel_blocks(n, kBlock, params.threads, [&](size_t first, size_t last) {
      label_block(rows, packed, first, last, result.labels);
      Part& part = parts[first / kBlock];
      part = {std::vector<double>(k * dim), std::vector<size_t>(k), 0, -1, first};
      for (size_t i = first; i < last; ++i) {
        const size_t c = result.labels[i];
        const float d = squared_distance(&rows[i * dim], &result.centers[c * dim], dim);
        part.inertia += d;
        if (d > part.farthest) {
          part.farthest = d;
          part.farthest_row = i;
        }
        ++part.counts[c];
        for (size_t j = 0; j < dim; ++j) part.sums[c * dim + j] += rows[i * dim + j];
      }
    });
    Part all = parts[0];
    for (size_t b = 1; b < blocks; ++b) {
      for (size_t i = 0; i < k * dim; ++i) all.sums[i] += parts[b].sums[i];
      for (size_t c = 0; c < k; ++c) all.counts[c] += parts[b].counts[c];
      all.inertia += parts[b].inertia;
      if (parts[b].farthest > all.farthest) {
        all.farthest = parts[b].farthest;
        all.farthest_row = parts[b].farthest_row;
      }
    }
    result.inertia = all.inertia / n;
    if (result.iterations == params.iterations || before - result.inertia <= params.tolerance * before) return result;
    before = result.inertia;
    ++result.iterations;

    // move every centre to its mean; the first empty one to the row that is served worst
    bool moved_empty = false;
    for (size_t c = 0; c < k; ++c) {
      for (size_t j = 0; j < dim && all.counts[c] > 0; ++j)
        result.centers[c * dim + j] = static_cast<float>(all.sums[c * dim + j] / all.counts[c]);
      if (all.counts[c] == 0 && !moved_empty && all.farthest > 0) {
        std::copy_n(&rows[all.farthest_row * dim], dim, &result.centers[c * dim]);
        moved_empty = true;
      }
    }
  }
}

}  // namespace

KMeansResult even_kmeans(std::span<const float> rows, size_t dim, const KMeansParams& params) {
  constexpr int kFiner = 10;
  const size_t count = rows.size() / dim, stride = std::max<size_t>(1, count / params.sample);
  std::vector<float> sample;
  for (size_t row = 0; row < count; row += stride)
    sample.insert(sample.end(), rows.begin() + row * dim, rows.begin() + (row + 1) * dim);
  KMeansParams fine = params;
  fine.clusters = static_cast<int>(std::min<size_t>(size_t{kFiner} * params.clusters, sample.size() / dim));
  fine.starts = 1;
  KMeansResult result = kmeans(kmeans(sample, dim, fine).centers, dim, params);
  result.labels.resize(count);
  nearest_centers(rows, dim, result.centers, result.labels, {}, params.threads);
  return result;
}

void nearest_centers(std::span<const float> rows, size_t dim, std::span<const float> centers, std::span<int32_t> labels,
                     std::span<float> squared, int threads) {
  ALPS_CHECK(labels.size() * dim == rows.size() && !centers.empty());
  const Packed packed(centers, dim);
  parallel_blocks(labels.size(), kBlock, threads, [&](size_t first, size_t last) {
    label_block(rows, packed, first, last, labels);
    for (size_t i = first; i < last && !squared.empty(); ++i)
      squared[i] = squared_distance(&rows[i * dim], &centers[labels[i] * dim], dim);
  });
}

KMeansResult kmeans(std::span<const float> rows, size_t dim, const KMeansParams& params) {
  const size_t n = rows.size() / dim;
  if (n < static_cast<size_t>(params.clusters))
    throw Error(params.clusters, " clusters need at least as many states, and there are ", n, "; lower --set clusters");

  // a sample without replacement: every (n / sample)-th row, jittered
  const Rng rng(params.seed);
  const size_t m = std::min(n, std::max<size_t>(params.sample, 16 * params.clusters));
  std::vector<float> sample(m * dim);
  Rng jitter = rng.fork(0);
  for (size_t i = 0; i < m; ++i) {
    const size_t low = i * n / m, high = (i + 1) * n / m;
    std::copy_n(&rows[(low + jitter.below(high - low)) * dim], dim, &sample[i * dim]);
  }

  KMeansResult best;
  for (int start = 0; start < params.starts; ++start) {
    Rng draw = rng.fork(1 + start);
    KMeansResult run = lloyd(sample, dim, first_centers(sample, dim, params.clusters, draw, params.threads), params);
    if (start == 0 || run.inertia < best.inertia) best = std::move(run);
  }
  return lloyd(rows, dim, std::move(best.centers), params);
}

}  // namespace alps
