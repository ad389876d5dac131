#include "alps/learn/allo_terms.h"

#include <algorithm>

#include "alps/base/error.h"
#include "alps/base/simd.h"
#include "alps/base/threads.h"

namespace alps {
namespace {

constexpr size_t kBlock = 128;  // rows summed by one thread
constexpr size_t kRows = 4;     // rows added at once

// sums (size, size) += x^T x over kRows rows x (kRows, size)
ALPS_CLONES void add_products(const float* __restrict x, size_t size, float* __restrict sums) {
  static_assert(kRows == 4);
  const float *a = x, *b = x + size, *c = b + size, *d = c + size;
  for (size_t j = 0; j < size; ++j)
    for (size_t k = 0; k < size; ++k) sums[j * size + k] += (a[j] * a[k] + b[j] * b[k]) + (c[j] * c[k] + d[j] * d[k]);
}

// out (size) = x factors, with x (size) and factors (size, size)
ALPS_CLONES void multiply_row(const float* __restrict x, const float* __restrict factors, size_t size,
                              float* __restrict out) {
  std::fill_n(out, size, 0.0f);
  for (size_t k = 0; k < size; ++k)
    for (size_t j = 0; j < size; ++j) out[j] += x[k] * factors[k * size + j];
}

// the four (or three) batches of u, each row with a one in front and zeros up to whole vectors
struct Batches {
  const float* u;
  std::span<const int64_t> places;
  size_t n, d, size;

  const float* row(size_t i) const { return u + places[i] * d; }
  void copy(size_t i, float* to) const {
    to[0] = 1.0f;
    std::copy_n(row(i), d, to + 1);
    std::fill(to + 1 + d, to + size, 0.0f);
  }

  // <u_j, u_k> - delta_jk over the rows first .. first + n, (size, size) of which the lower triangle is used
  std::vector<float> errors(size_t first, int threads) const {
    const size_t blocks = (n + kBlock - 1) / kBlock;
    std::vector<std::vector<float>> parts(blocks);
    parallel_for(blocks, threads, [&](size_t block) {
      parts[block].assign(size * size, 0.0f);
      std::vector<float> x(kRows * size);
      const size_t end = std::min(n, (block + 1) * kBlock);
      for (size_t i = block * kBlock; i < end; i += kRows) {
        std::fill(x.begin(), x.end(), 0.0f);
        for (size_t r = 0; r < std::min(kRows, end - i); ++r) copy(first + i + r, &x[r * size]);
        add_products(x.data(), size, parts[block].data());
      }
    });
    std::vector<float> sums(size * size, 0.0f);
    for (const auto& part : parts)
      for (size_t i = 0; i < sums.size(); ++i) sums[i] += part[i];
    for (float& sum : sums) sum /= static_cast<float>(n);
    for (size_t j = 0; j <= d; ++j) sums[j * size + j] -= 1.0f;
    return sums;
  }
};

}  // namespace

AlloTerms allo_terms(std::span<const float> u, std::span<const int64_t> places, size_t n, size_t d,
                     std::span<const float> duals, double barrier, int threads) {
  ALPS_CHECK(u.size() == places.size() * d && (places.size() == 3 * n || places.size() == 4 * n));
  ALPS_CHECK(duals.size() == (d + 1) * (d + 1));
  const Batches batches{u.data(), places, n, d, (d + 1 + 7) / 8 * 8};
  const size_t size = batches.size, second = places.size() - n, first = places.size() == 4 * n ? 2 * n : 0;
  const std::vector<float> one = batches.errors(first, threads), two = batches.errors(second, threads);

  // the terms of the loss, and what [u_k] is multiplied with in the gradient of u_j: (k, j)
  AlloTerms terms;
  terms.error.assign(duals.size(), 0.0f);
  std::vector<float> of_one(size * size, 0.0f), of_two(size * size, 0.0f);
  const double share = 1.0 / static_cast<double>(n);
  for (size_t j = 0; j <= d; ++j)
    for (size_t k = 0; k <= j; ++k) {
      const double a = one[j * size + k], b = two[j * size + k], beta = duals[j * (d + 1) + k];
      terms.error[j * (d + 1) + k] = static_cast<float>(0.5 * (a + b));
      terms.dual += beta * 0.5 * (a + b);
      terms.barrier += barrier * a * b;
      of_one[k * size + j] = static_cast<float>(share * (0.5 * beta + barrier * b));
      of_two[k * size + j] = static_cast<float>(share * (0.5 * beta + barrier * a));
    }

  // gradients: of the constraints, then of the pairs, whose rows may be those of the first constraint batch
  terms.gradient.assign(u.size(), 0.0f);
  const auto gradient = [&](size_t i) { return &terms.gradient[places[i] * d]; };
  std::vector<double> graph((n + kBlock - 1) / kBlock, 0.0);
  parallel_for(graph.size(), threads, [&](size_t block) {
    std::vector<float> x(size), out(size);
    for (size_t i = block * kBlock; i < std::min(n, (block + 1) * kBlock); ++i) {
      for (const auto& [at, factors] : {std::pair(first + i, &of_one), {second + i, &of_two}}) {
        batches.copy(at, x.data());
        multiply_row(x.data(), factors->data(), size, out.data());
        std::copy_n(out.data() + 1, d, gradient(at));
      }
      const float *here = batches.row(i), *there = batches.row(n + i);
      float *of_here = gradient(i), *of_there = gradient(n + i);
      for (size_t k = 0; k < d; ++k) {
        const float change = here[k] - there[k];
        graph[block] += 0.5 * share * change * change;
        of_here[k] += static_cast<float>(share) * change;
        of_there[k] -= static_cast<float>(share) * change;
      }
    }
  });
  for (const double part : graph) terms.graph += part;
  return terms;
}

}  // namespace alps
